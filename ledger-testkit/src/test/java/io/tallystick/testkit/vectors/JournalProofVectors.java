package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.BatchProtected;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.JournalProof;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.BatchRoot;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SampleJournalProof;
import io.tallystick.testkit.SampleRemoval;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Topic `journal-proof`: what ties a document to a journal, and what does not.
final class JournalProofVectors {
  private static final long NOW = Fixtures.TIME_MS;
  private static final PublicKey ALICE = Fixtures.ALICE.publicKey();

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final ReferenceLedger log =
      ReferenceLedger.found(ledger)
          .block(ledger.submission(ledger.request(1), Fixtures.ALICE, Fixtures.BOB))
          .block(ledger.batch(2, 5))
          .block(ledger.single(7));
  private final JournalProof good = SampleJournalProof.of(log, 2);
  private final Bytes document = SampleJournalProof.document(log, 2);

  /// Journals 4 to 8 are a batch by Alice.
  private final JournalProof member = SampleJournalProof.of(log, 6);

  JournalProofVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    journals();
    kinds();
    rotations();
    documents();
    openings();
    receipts();
    signers();
    batches();
    times();
    bytes();
  }

  private void journals() {
    accept("of-two-signers", log, 2);
    for (int jsn = 4; jsn <= 8; jsn++) {
      accept("of-member-" + (jsn - 4) + "-of-a-batch", log, jsn);
    }
    accept("of-a-single-one", log, 10);
    Submission both = ledger.submission(ledger.requests(1, 2), Fixtures.ALICE, Fixtures.BOB);
    accept("of-a-batch-of-two-signers", ReferenceLedger.found(ledger).block(both), 3);
    accept("of-an-empty-document", appended(Bytes.EMPTY), 2);
    accept("of-23-bytes", appended(Bytes.wrap(new byte[23])), 2);
    accept("of-24-bytes", appended(Bytes.wrap(new byte[24])), 2);
    accept("of-300-bytes", appended(Bytes.wrap(new byte[300])), 2);
    Fixtures clued = ledger.withFeatures(Set.of(Feature.CLUE_TRIE));
    accept(
        "that-names-clues",
        ReferenceLedger.found(clued).block(clued.clued(1, "invoice 1", "customer 7")),
        2);
    Fixtures stated = ledger.withSmallState();
    DraftOp put = DraftOp.put(Bytes.utf8("key"), Bytes.utf8("value"));
    accept("with-a-value", ReferenceLedger.found(stated).block(stated.writing(1, put)), 2);
    ReferenceLedger marked = ReferenceLedger.found(ledger).block(ledger.single(1), NOW, true);
    accept("of-an-agent", marked, 2);
  }

  private void kinds() {
    Fixtures clued = ledger.withFeatures(Set.of(Feature.CLUE_TRIE));
    accept("of-a-clue-delete", ReferenceLedger.found(clued).block(clued.clueDelete(1, "gone")), 2);
    Submission added = ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey());
    accept("of-a-member-add", ReferenceLedger.found(ledger).block(added), 2);
    ReferenceLedger timed = SampleRemoval.timed(ledger, ReferenceLedger.found(ledger));
    accept("of-a-time-journal", timed, 2);
    ReferenceLedger bySomebody =
        ReferenceLedger.found(ledger)
            .block(ledger.service(Kind.TIME, time(timed), List.of(Fixtures.NEXT_RECEIPT)));
    refuse("WRONG_KEY", "of-a-time-journal-by-another-key", bySomebody, 2);
  }

  private static Extension time(ReferenceLedger timed) {
    try {
      return RequestHeader.decode(timed.entries().get(2).request().orElseThrow().header())
          .extension();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private void rotations() {
    ReferenceLedger rotated =
        ReferenceLedger.found(ledger)
            .block(ledger.single(1))
            .block(ledger.rotation())
            .rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT)
            .block(ledger.single(2));
    KeyChain chain = rotated.chain(4);
    JournalProof after = SampleJournalProof.of(rotated, 6);
    accept("after-a-rotation", SampleJournalProof.withChain(after, chain), rotated, 6);
    accept("under-a-head-before-a-rotation", SampleJournalProof.of(rotated, 2, 4), rotated, 2);
    JournalProof before = SampleJournalProof.of(rotated, 2);
    accept("from-before-a-rotation", SampleJournalProof.withChain(before, chain), rotated, 2);
    JournalProof self = SampleJournalProof.of(rotated, 4);
    accept("of-a-rotation", SampleJournalProof.withChain(self, chain), rotated, 4);
    refuse("WRONG_KEY", "after-a-rotation-without-a-key-chain", rotated, 6);
    JournalProof empty = SampleJournalProof.withChain(good, KeyChain.EMPTY);
    refuse("MALFORMED", "with-an-empty-key-chain", empty);
  }

  private void documents() {
    with("COMMITMENT_MISMATCH", "with-a-bent-document", Forge.flipBit(document, 3));
    with("COMMITMENT_MISMATCH", "with-a-document-cut", document.slice(0, document.size() - 1));
    with("COMMITMENT_MISMATCH", "with-a-longer-document", Forge.append(document, "00"));
    with("COMMITMENT_MISMATCH", "without-a-document", Bytes.EMPTY);
    with("COMMITMENT_MISMATCH", "with-another-document", SampleJournalProof.document(log, 4));
    Bytes body = log.entries().get(2).request().orElseThrow().body();
    with("COMMITMENT_MISMATCH", "with-the-body-for-a-document", body);
  }

  private void openings() {
    Bytes salt = good.opening().salt();
    Bytes rest = good.opening().rest();
    opened("COMMITMENT_MISMATCH", "with-another-salt", Forge.flipBit(salt, 31), rest);
    opened("COMMITMENT_MISMATCH", "with-another-content-type", salt, Forge.flipBit(rest, 4));
    Bytes shorter = Bytes.fromHex("608080");
    opened("COMMITMENT_MISMATCH", "without-the-content-type", salt, shorter);
    Bytes clue = Forge.replace(rest, "8080", "81616180");
    opened("COMMITMENT_MISMATCH", "with-a-clue-added", salt, clue);
    Bytes value = Forge.replace(rest, "8080", "808100");
    opened("MALFORMED", "with-a-number-for-a-value", salt, value);
    opened(
        "COMMITMENT_MISMATCH", "with-a-value-added", salt, Forge.replace(rest, "8080", "808140"));
    opened("MALFORMED", "with-bytes-left-over-behind-the-body", salt, Forge.append(rest, "00"));
    opened("MALFORMED", "without-the-rest-of-the-body", salt, Bytes.EMPTY);
    Fixtures clued = ledger.withFeatures(Set.of(Feature.CLUE_TRIE));
    SignedRequest lying = clued.draft(1).withClues(List.of("one")).build();
    ReferenceLedger other = ReferenceLedger.found(clued).block(renamed(clued, lying));
    refuse("COMMITMENT_MISMATCH", "with-a-clue-that-is-not-the-ids", other, 2);
  }

  /// The same request whose body, rightly committed to, has the text of another clue.
  private static Submission renamed(Fixtures clued, SignedRequest request) {
    try {
      Bytes body = Forge.replace(request.body(), "636f6e65", "6374776f");
      RequestHeader header = RequestHeader.decode(request.header());
      RequestHeader lying =
          new RequestHeader(
              header.strand(),
              header.kind(),
              header.clientSeq(),
              header.clientTimeMs(),
              header.expiresMs(),
              Commitments.body(request.salt(), body),
              header.bodySizeBytes(),
              header.clueIds(),
              header.opsRoot(),
              header.opsCount(),
              header.extension());
      return clued.submission(
          new SignedRequest(lying.encode(), request.salt(), body), Fixtures.ALICE);
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private void receipts() {
    set.refuse("WRONG_LEDGER", of("for-another-strand", good, document).with("strand", 1));
    Fixtures other = Fixtures.ledger(NOW + 1);
    set.refuse("WRONG_LEDGER", of("for-another-ledger", good, document).with(other.strand()));
    refuse(
        "WRONG_LEDGER",
        "with-the-parameters-of-another-ledger",
        SampleJournalProof.withParams(good, other.params().encode()));
    Bytes file = good.receiptFile();
    refuse(
        "BAD_SIGNATURE",
        "with-a-bent-receipt",
        SampleJournalProof.withFile(good, Forge.flipBit(file, file.size() - 40)));
    Bytes foreign = log.receiptFile(2, log.size(), Fixtures.NEXT_RECEIPT).encode();
    refuse(
        "WRONG_KEY", "with-a-receipt-by-another-key", SampleJournalProof.withFile(good, foreign));
    Bytes next = SampleJournalProof.of(log, 10).receiptFile();
    refuse(
        "COMMITMENT_MISMATCH",
        "with-the-receipt-of-another-journal",
        SampleJournalProof.withFile(good, next));
    Bytes seal = log.receiptFile(3, log.size()).encode();
    refuse("WRONG_TYPE", "of-a-seal", SampleJournalProof.withFile(good, seal));
    Bytes genesis = log.receiptFile(0, log.size()).encode();
    refuse("WRONG_TYPE", "of-genesis", SampleJournalProof.withFile(good, genesis));
    StrandId strand = new StrandId(log.strand().ledger(), 1);
    SignedRequest moved =
        RequestDraft.append(strand, document, "text/plain", NOW, Fixtures.bytes32("salt 1"))
            .build();
    ReferenceLedger strayed =
        ReferenceLedger.found(ledger).block(ledger.submission(moved, Fixtures.ALICE));
    refuse("WRONG_LEDGER", "with-a-request-of-another-strand", strayed, 2);
  }

  private void signers() {
    List<PublicKey> keys = good.keys();
    Bytes attestation = good.attestation();
    Bytes stripped = ledger.single(1).attestation();
    signed("COMMITMENT_MISMATCH", "with-a-cosigner-stripped", stripped, List.of(ALICE));
    signed("MISSING", "with-a-key-left-out", attestation, keys.subList(0, 1));
    List<PublicKey> more = new ArrayList<>(keys);
    more.add(Fixtures.CAROL.publicKey());
    signed("MISSING", "with-a-key-more", attestation, more);
    signed("WRONG_KEY", "with-keys-backwards", attestation, keys.reversed());
    signed(
        "WRONG_KEY", "with-a-strangers-key", attestation, List.of(keys.getFirst(), more.getLast()));
    SignedRequest request = ledger.request(1);
    Digest hash = RequestHeader.hash(request.header());
    CoseSign1 one = RequestSigner.signOne(ledger.strand(), hash, Fixtures.ALICE);
    CoseSign1 bent = Forge.withSignature(one, Forge.flipBit(one.signature(), 3));
    attested("BAD_SIGNATURE", "with-a-bent-signature", request, Forge.attestation(bent));
    CoseSign1 other =
        RequestSigner.signOne(
            ledger.strand(), RequestHeader.hash(ledger.request(2).header()), Fixtures.ALICE);
    attested(
        "COMMITMENT_MISMATCH", "signed-for-another-request", request, Forge.attestation(other));
    StrandId strand = new StrandId(log.strand().ledger(), 1);
    CoseSign1 elsewhere = RequestSigner.signOne(strand, hash, Fixtures.ALICE);
    attested("WRONG_LEDGER", "signed-for-another-strand", request, Forge.attestation(elsewhere));
    Signer small =
        new Signer() {
          @Override
          public PublicKey publicKey() {
            return Forge.smallOrderKey();
          }

          @Override
          public byte[] sign(byte[] message) {
            return new byte[64];
          }
        };
    ReferenceLedger weak =
        ReferenceLedger.found(ledger)
            .block(
                new Submission(
                    List.of(request),
                    Forge.attestation(RequestSigner.signOne(ledger.strand(), hash, small))));
    JournalProof made =
        SampleJournalProof.withSigners(
            SampleJournalProof.withFile(good, weak.receiptFile(2, 4).encode()),
            weak.attestation(2),
            List.of(Forge.smallOrderKey()));
    refuse("WRONG_KEY", "by-a-key-of-small-order", made);
  }

  private void batches() {
    InclusionProof place = place(member);
    refuseMember("MISSING", "of-a-batch-without-its-proof", Optional.empty());
    Optional<Bytes> next = SampleJournalProof.of(log, 7).batchProof();
    refuseMember("LEAF_MISMATCH", "of-a-batch-with-the-next-ones-proof", next);
    refuseMember(
        "LEAF_MISMATCH",
        "of-a-batch-in-a-tree-of-six",
        encoded(new InclusionProof(place.index(), 6, place.path())));
    refuseMember(
        "WRONG_PATH_LENGTH",
        "of-a-batch-with-a-hash-left-out",
        encoded(
            new InclusionProof(
                place.index(), place.size(), place.path().subList(0, place.path().size() - 1))));
    List<Digest> path = new ArrayList<>(place.path());
    path.set(0, Digest.ZERO);
    refuseMember(
        "BAD_SIGNATURE",
        "of-a-batch-with-another-hash",
        encoded(new InclusionProof(place.index(), place.size(), path)));
    refuse(
        "MALFORMED",
        "of-a-single-one-with-a-batch-proof",
        SampleJournalProof.withBatchProof(good, member.batchProof()));
    List<SignedRequest> five = ledger.requests(2, 5);
    Bytes root = BatchRoot.over(Fixtures.hashes(five)).digest().toBytes();
    Bytes header = new BatchProtected(ALICE.algorithm(), ALICE.kid(), ledger.strand(), 6).encode();
    CoseSign1 forSix = Forge.withPayload(Forge.sign(Fixtures.ALICE, header, root), null);
    ReferenceLedger counted =
        ReferenceLedger.found(ledger).block(new Submission(five, Forge.attestation(forSix)));
    refuse("WRONG_SIZE", "of-a-batch-signed-for-six", counted, 4);
    List<SignedRequest> governed = new ArrayList<>(five);
    governed.set(
        2, ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()).requests().getFirst());
    ReferenceLedger hidden =
        ReferenceLedger.found(ledger).block(ledger.submission(governed, Fixtures.ALICE));
    refuse("MALFORMED", "of-a-member-add-in-a-batch", hidden, 4);
  }

  private void times() {
    accept("of-the-last-moment", dated(NOW + 60_000), 2);
    refuse("LEAF_MISMATCH", "of-a-moment-too-late", dated(NOW + 60_001), 2);
    Fixtures ahead = new Fixtures(ledger.params(), NOW + 30_000);
    Submission early = ahead.single(1);
    accept("of-30-seconds-early", ReferenceLedger.found(ledger).block(early, NOW, false), 2);
    Submission tooEarly = new Fixtures(ledger.params(), NOW + 30_001).single(1);
    refuse(
        "LEAF_MISMATCH",
        "of-a-moment-too-early",
        ReferenceLedger.found(ledger).block(tooEarly, NOW, false),
        2);
  }

  private ReferenceLedger dated(long timeMs) {
    return ReferenceLedger.found(ledger).block(ledger.single(1), timeMs, false);
  }

  private void bytes() {
    Bytes file = good.encode();
    malformed("of-type-34", Forge.replaceStart(file, "891823", "891822"));
    malformed("with-an-item-more", Forge.append(Forge.replaceStart(file, "89", "8a"), "00"));
    malformed("with-bytes-left-over", Forge.append(file, "00"));
    malformed("cut", file.slice(0, file.size() - 1));
    String salt = "5820" + good.opening().salt().hex();
    malformed("with-a-salt-of-31-bytes", Forge.replace(file, salt, "581f" + salt.substring(6)));
    malformed("with-nil-for-a-salt", Forge.replace(file, salt, "f6"));
    // The same keys stand in the parameters, too.
    CborWriter keys = new CborWriter().array(good.keys().size());
    good.keys().forEach(key -> keys.bytes(key.spki()));
    String all = keys.toBytes().hex();
    malformed("without-keys", Forge.replace(file, all + salt, "80" + salt));
    malformed("with-a-key-of-no-algorithm", Forge.replace(file, all + salt, "814100" + salt));
    malformed("with-false-for-a-batch-proof", Forge.replace(file, "f6" + all, "f4" + all));
  }

  private ReferenceLedger appended(Bytes payload) {
    SignedRequest request =
        RequestDraft.append(ledger.strand(), payload, "", NOW, Fixtures.bytes32("salt 1")).build();
    return ReferenceLedger.found(ledger).block(ledger.submission(request, Fixtures.ALICE));
  }

  private static InclusionProof place(JournalProof proof) {
    try {
      return InclusionProofBytes.decode(proof.batchProof().orElseThrow());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static Optional<Bytes> encoded(InclusionProof proof) {
    return Optional.of(InclusionProofBytes.encode(proof));
  }

  private void refuseMember(String code, String name, Optional<Bytes> batchProof) {
    JournalProof proof = SampleJournalProof.withBatchProof(member, batchProof);
    set.refuse(code, of(name, proof, SampleJournalProof.document(log, 6)));
  }

  /// A log whose journal 2 was attested like that.
  private void attested(String code, String name, SignedRequest request, Bytes attestation) {
    ReferenceLedger made =
        ReferenceLedger.found(ledger).block(new Submission(List.of(request), attestation));
    refuse(code, name, made, 2);
  }

  private void signed(String code, String name, Bytes attestation, List<PublicKey> keys) {
    refuse(code, name, SampleJournalProof.withSigners(good, attestation, keys));
  }

  private void opened(String code, String name, Bytes salt, Bytes rest) {
    refuse(code, name, SampleJournalProof.withOpening(good, salt, rest));
  }

  private void with(String code, String name, Bytes other) {
    set.refuse(code, of(name, good, other));
  }

  private void malformed(String name, Bytes file) {
    set.refuse("MALFORMED", of(name, good, document).with("file", file));
  }

  private void accept(String name, ReferenceLedger made, int jsn) {
    accept(name, SampleJournalProof.of(made, jsn), made, jsn);
  }

  private void accept(String name, JournalProof proof, ReferenceLedger made, int jsn) {
    set.accept(of(name, proof, SampleJournalProof.document(made, jsn)).with(made.strand()));
  }

  private void refuse(String code, String name, ReferenceLedger made, int jsn) {
    set.refuse(
        code,
        of(name, SampleJournalProof.of(made, jsn), SampleJournalProof.document(made, jsn))
            .with(made.strand()));
  }

  private void refuse(String code, String name, JournalProof proof) {
    set.refuse(code, of(name, proof, document));
  }

  private VectorCase of(String name, JournalProof proof, Bytes payload) {
    return VectorCase.of("journal-proof/" + name, "journalProof", name.replace('-', ' '))
        .with(ledger.strand())
        .with("file", proof.encode())
        .with("document", payload);
  }
}
