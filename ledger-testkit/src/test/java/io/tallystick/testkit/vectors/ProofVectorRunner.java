package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborReader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.head.TrustRule;
import io.tallystick.head.TrustedHead;
import io.tallystick.journal.TimeProof;
import io.tallystick.lineage.LineageFile;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.RangeProof;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.Cosignature;
import io.tallystick.note.SignedNote;
import io.tallystick.note.WitnessKey;
import io.tallystick.note.Witnesses;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.state.LookupFile;
import io.tallystick.state.RangeFile;
import io.tallystick.state.StateFile;
import io.tallystick.tledger.EntryInclusion;
import io.tallystick.tledger.HeadEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Carries out the vectors of proofs, heads and receipts.
final class ProofVectorRunner {
  private final Signatures signatures;

  ProofVectorRunner(Signatures signatures) {
    this.signatures = signatures;
  }

  Map<String, Object> results(Vector vector) throws MalformedException, ProofRejectedException {
    return switch (vector.text("op")) {
      case "inclusion" -> inclusion(vector);
      case "consistency" -> consistency(vector);
      case "range" -> range(vector);
      case "checkpoint" ->
          head(Checkpoint.verify(vector.bytes("note"), strand(vector), keys(vector), signatures));
      case "cosignature" -> cosignature(vector);
      case "receipt" -> receipt(vector);
      case "receiptFile" ->
          head(
              ReceiptFile.decode(vector.bytes("file"))
                  .verify(strand(vector), keys(vector), signatures));
      case "rangeReceipt" -> rangeReceipt(vector);
      case "trust" -> trust(vector);
      case "newest" -> newest(vector);
      case "forkEvidence" -> forkEvidence(vector);
      case "headEntry" -> headEntry(vector);
      case "entryInclusion" -> entryInclusion(vector);
      case "trie" -> LineageVectorRunner.trie(vector);
      case "clueProof" -> LineageVectorRunner.clueProof(vector, statement(vector, "head"));
      case "lineage" -> LineageVectorRunner.lineage(vector, statement(vector, "head"));
      case "lineageFile" ->
          LineageVectorRunner.file(
              LineageFile.decode(vector.bytes("file"))
                  .verify(strand(vector), keys(vector), signatures));
      case "stateLookup" -> ForestVectorRunner.lookup(vector, statement(vector, "head"));
      case "stateLookups" -> ForestVectorRunner.lookups(vector, statement(vector, "head"));
      case "stateRange" -> ForestVectorRunner.range(vector, statement(vector, "head"));
      case "stateFile" ->
          ForestVectorRunner.file(
              StateFile.decode(vector.bytes("file"))
                  .verify(strand(vector), keys(vector), signatures));
      case "lookupFile" ->
          ForestVectorRunner.file(
              LookupFile.decode(vector.bytes("file"))
                  .verify(strand(vector), keys(vector), signatures));
      case "rangeFile" ->
          ForestVectorRunner.file(
              RangeFile.decode(vector.bytes("file"))
                  .verify(strand(vector), keys(vector), signatures));
      default -> ForestVectorRunner.results(vector);
    };
  }

  private static Map<String, Object> inclusion(Vector vector) throws ProofRejectedException {
    new InclusionProof(vector.number("index"), vector.number("size"), digests(vector, "path"))
        .verify(vector.digest("leafHash"), new JournalRoot(vector.digest("root")));
    return Map.of();
  }

  private static Map<String, Object> consistency(Vector vector) throws ProofRejectedException {
    consistencyProof(vector)
        .verify(
            new JournalRoot(vector.digest("fromRoot")), new JournalRoot(vector.digest("toRoot")));
    return Map.of();
  }

  private static Map<String, Object> range(Vector vector) throws ProofRejectedException {
    RangeProof proof =
        new RangeProof(
            vector.number("first"),
            (int) vector.number("count"),
            vector.number("size"),
            digests(vector, "roots"));
    proof.verify(digests(vector, "leafHashes"), new JournalRoot(vector.digest("root")));
    return Map.of();
  }

  private Map<String, Object> cosignature(Vector vector)
      throws MalformedException, ProofRejectedException {
    List<WitnessKey> keys = new ArrayList<>();
    for (Object vkey : vector.list("witnesses")) {
      keys.add(WitnessKey.parse((String) vkey));
    }
    List<Cosignature> found =
        new Witnesses(keys, (int) vector.number("quorum"))
            .verify(SignedNote.decode(vector.bytes("note")), signatures);
    return Map.of("times", found.stream().map(Cosignature::timeSeconds).toList());
  }

  private Map<String, Object> receipt(Vector vector)
      throws MalformedException, ProofRejectedException {
    return head(
        Receipt.decode(vector.bytes("receipt"))
            .verify(vector.bytes("leaf"), strand(vector), keys(vector), signatures));
  }

  private Map<String, Object> rangeReceipt(Vector vector)
      throws MalformedException, ProofRejectedException {
    RangeReceipt receipt = RangeReceipt.decode(vector.bytes("rangeReceipt"));
    List<Bytes> leaves = vector.listOfBytes("leaves");
    SignedHead head = receipt.verify(leaves, strand(vector), keys(vector), signatures);
    List<String> split =
        receipt.split(leaves).stream().map(single -> single.encode().hex()).toList();
    return Map.of(
        "size", head.size().value(), "root", head.root().digest().hex(), "receipts", split);
  }

  private Map<String, Object> trust(Vector vector)
      throws MalformedException, ProofRejectedException {
    TrustedHead trusted = TrustRule.first(statement(vector, "trusted"));
    SignedHead offered = statement(vector, "offered");
    return head(
        vector.find("path").isPresent()
            ? TrustRule.accept(trusted, offered, consistencyProof(vector)).head()
            : TrustRule.accept(trusted, offered).head());
  }

  private Map<String, Object> newest(Vector vector)
      throws MalformedException, ProofRejectedException {
    TrustedHead trusted = TrustRule.first(statement(vector, "trusted"));
    TrustRule.checkNewest(trusted, statement(vector, "offered"));
    return Map.of();
  }

  private Map<String, Object> forkEvidence(Vector vector)
      throws MalformedException, ProofRejectedException {
    return Map.of(
        "confirmed",
        ForkEvidence.decode(vector.bytes("file"))
            .confirm(strand(vector), keys(vector), signatures)
            .reason()
            .name());
  }

  private SignedHead statement(Vector vector, String field)
      throws MalformedException, ProofRejectedException {
    return HeadStatement.verify(vector.bytes(field), strand(vector), keys(vector), signatures);
  }

  private static Map<String, Object> head(SignedHead head) {
    return Map.of("size", head.size().value(), "root", head.root().digest().hex());
  }

  private static ConsistencyProof consistencyProof(Vector vector) {
    return new ConsistencyProof(
        vector.number("from"), vector.number("to"), digests(vector, "path"));
  }

  private static List<Digest> digests(Vector vector, String field) {
    return vector.listOfBytes(field).stream().map(Digest::of).toList();
  }

  private Map<String, Object> headEntry(Vector vector)
      throws MalformedException, ProofRejectedException {
    Optional<SignedHead> last =
        vector.find("last").isEmpty()
            ? Optional.empty()
            : Optional.of(
                Checkpoint.verify(vector.bytes("last"), strand(vector), keys(vector), signatures));
    HeadEntry.Verified verified =
        HeadEntry.decode(vector.bytes("entry"))
            .verify(strand(vector), keys(vector), signatures, last);
    return Map.of(
        "size", verified.head().size().value(),
        "root", verified.head().root().digest().hex(),
        "sealTimeMs", verified.sealTimeMs());
  }

  private Map<String, Object> entryInclusion(Vector vector)
      throws MalformedException, ProofRejectedException {
    CborReader in = new CborReader(vector.bytes("proof"));
    TimeProof proof = TimeProof.decode(in);
    in.end();
    if (!(proof instanceof TimeProof.TLedger shown)) {
      throw new MalformedException("a token");
    }
    EntryInclusion verified =
        EntryInclusion.verify(
            shown,
            new LedgerId(vector.digest("ledger")),
            Checkpoint.parse(vector.text("stamped")),
            keys(vector),
            signatures);
    return Map.of(
        "size", verified.head().size().value(),
        "jsn", verified.jsn(),
        "timeMs", verified.timeMs());
  }

  private static StrandId strand(Vector vector) {
    return new StrandId(new LedgerId(vector.digest("ledger")), (int) vector.number("strand"));
  }

  private static ServiceKeys keys(Vector vector) throws MalformedException {
    return new ServiceKeys(
        Authority.parse(vector.text("authority")),
        PublicKey.ofSpki(vector.bytes("noteKey")),
        PublicKey.ofSpki(vector.bytes("receiptKey")));
  }
}
