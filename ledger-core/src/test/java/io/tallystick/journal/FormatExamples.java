package io.tallystick.journal;

import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.CoseSign1;
import io.tallystick.merkle.BatchRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The worked examples of the format pages, made anew from the sample ledger.
final class FormatExamples {
  private final Fixtures ledger = Fixtures.ledger();
  private final Submission single = ledger.single(1);
  private final SignedRequest request = single.requests().getFirst();

  private FormatExamples() {}

  /// Page name to example name to hex, in the order of the pages.
  static Map<String, Map<String, String>> all() throws Exception {
    FormatExamples examples = new FormatExamples();
    Map<String, Map<String, String>> pages = new LinkedHashMap<>();
    pages.put("cbor", examples.cbor());
    pages.put("ledger", examples.ledger());
    pages.put("request", examples.request());
    pages.put("signature", examples.signature());
    pages.put("leaf", examples.leaf());
    return pages;
  }

  private Map<String, String> cbor() {
    CborWriter out = new CborWriter().array(6).uint(500).integer(-70002);
    out.bytes(new byte[] {1, 2}).text("é").map(1).integer(1).bool(true).nil();
    return Map.of("item", out.toBytes().hex());
  }

  private Map<String, String> ledger() {
    Map<String, String> page = new LinkedHashMap<>();
    page.put("name-salt", Fixtures.nameSalt().hex());
    page.put("name-commit", ledger.params().nameCommit().hex());
    page.put("genesis-params", ledger.params().encode().hex());
    page.put("ledger-id", ledger.params().ledgerId().hex());
    return page;
  }

  private Map<String, String> request() {
    Map<String, String> page = new LinkedHashMap<>();
    page.put("salt", request.salt().hex());
    page.put("body", request.body().hex());
    page.put("body-commit", Commitments.body(request.salt(), request.body()).hex());
    page.put("header", request.header().hex());
    page.put("request-hash", RequestHeader.hash(request.header()).hex());
    page.put("clue-id", Commitments.clueId(ledger.strand().ledger(), "invoice 1").hex());
    Digest commit = Commitments.value(request.salt(), 0, Bytes.utf8("value"));
    Op put = new Op.Put(Bytes.utf8("key"), commit, 5, new Precondition.IfAbsent());
    page.put("value-commit", commit.hex());
    page.put("operation", put.encode().hex());
    page.put("ops-root", Op.root(List.of(put)).digest().hex());
    return page;
  }

  private Map<String, String> signature() throws Exception {
    Map<String, String> page = new LinkedHashMap<>();
    CoseSign1 message = Attestation.decode(single.attestation()).signatures().getFirst();
    Bytes payload = RequestHeader.hash(request.header()).toBytes();
    page.put("protected", message.protectedHeader().hex());
    page.put("sig-structure", Bytes.wrap(message.sigStructure(payload)).hex());
    page.put("signature-id", message.signatureId(payload).hex());
    page.put("attestation", single.attestation().hex());
    page.put("attest-hash", Attestation.hash(single.attestation()).hex());
    Submission batch = ledger.batch(1, 3);
    List<Digest> hashes = Fixtures.hashes(batch.requests());
    CoseSign1 signed = Attestation.decode(batch.attestation()).signatures().getFirst();
    page.put("batch-protected", signed.protectedHeader().hex());
    page.put("batch-root", BatchRoot.over(hashes).digest().hex());
    page.put("member-proof", BatchMemberProof.of(signed, 2, hashes).encode().hex());
    return page;
  }

  private Map<String, String> leaf() {
    Bytes attestation = ledger.genesisAttestation().encode();
    Leaf genesis =
        new GenesisLeaf(
            Fixtures.TIME_MS, 0, ledger.params().encode(), Attestation.hash(attestation));
    Digest rootOne = TreeHasher.rootOverLeafHashes(List.of(genesis.leafHash()));
    Leaf seal = SealLeaf.of(new Jsn(1), Fixtures.TIME_MS, 0, Digest.ZERO, new Jsn(0), rootOne);
    Leaf journal =
        new JournalLeaf(
            new Jsn(2),
            Fixtures.TIME_MS + 1000,
            request.header(),
            Attestation.hash(single.attestation()),
            0,
            1);
    Map<String, String> page = new LinkedHashMap<>();
    page.put("genesis-leaf-hash", genesis.leafHash().hex());
    page.put("seal", seal.encode().hex());
    page.put("seal-leaf-hash", seal.leafHash().hex());
    page.put("journal", journal.encode().hex());
    page.put("journal-leaf-hash", journal.leafHash().hex());
    return page;
  }
}
