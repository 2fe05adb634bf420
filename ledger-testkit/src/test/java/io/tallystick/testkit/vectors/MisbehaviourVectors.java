package io.tallystick.testkit.vectors;

import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.TimeProof;
import io.tallystick.lineage.LineageProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.misbehaviour.Claim;
import io.tallystick.misbehaviour.Misbehaviour;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceClues;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SampleClues;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Topic `misbehaviour`: what convicts a service and what does not. A token is a stand-in: genTime
/// in 8 bytes, then the imprint.
final class MisbehaviourVectors {
  private static final long NOW = Fixtures.TIME_MS;

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();

  MisbehaviourVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    ownDate();
    dates();
    notDates();
    attestations();
    notAttestations();
    batches();
    seals();
    clues();
    bytes();
  }

  private void ownDate() {
    convict("time-journal-dated-10001-ms-late", dated(anchored(NOW - 10_001), 2));
    convict("time-journal-dated-10001-ms-early", dated(anchored(NOW + 10_001), 2));
    refuse("MISSING", "time-journal-dated-10000-ms-late", dated(anchored(NOW - 10_000), 2));
    refuse("MISSING", "time-journal-dated-10000-ms-early", dated(anchored(NOW + 10_000), 2));
  }

  private void dates() {
    convict("journal-dated-before-the-token", dated(backDated(NOW - 10_001), 2, 4));
    refuse("MISSING", "journal-dated-10000-ms-before", dated(backDated(NOW - 10_000), 2, 4));
    ReferenceLedger log = postDated(NOW + 19_999);
    convict("journal-dated-after-the-token", dated(log, under(log, 4), 4, 2));
    ReferenceLedger right = postDated(NOW + 20_000);
    refuse("MISSING", "journal-dated-10000-ms-after", dated(right, under(right, 4), 4, 2));
  }

  private void notDates() {
    ReferenceLedger log = postDated(NOW);
    refuse("WRONG_JSN", "journal-below-the-token-as-if-above", dated(log, List.of(), 4, 2));
    Bytes other = InclusionProofBytes.encode(log.inclusion(2, 6));
    refuse("WRONG_SIZE", "proof-under-another-head", dated(log, List.of(other), 4, 2));
    Bytes genesis = InclusionProofBytes.encode(log.inclusion(0, 4));
    refuse("WRONG_SIZE", "proof-of-another-journal", dated(log, List.of(genesis), 4, 2));
    ReferenceLedger moved =
        ReferenceLedger.found(ledger)
            .block(ledger.single(1), NOW + 30_000, false)
            .block(time(4, new JournalRoot(Digest.ZERO), NOW), NOW + 30_000, false);
    refuse("ROOT_MISMATCH", "token-of-a-head-of-another-log", dated(moved, under(moved, 4), 4, 2));
    refuse("WRONG_TYPE", "append-as-a-time-journal", dated(log, 2));
    refuse("WRONG_TYPE", "seal-as-a-time-journal", dated(log, 3));
    ReferenceLedger root = ReferenceLedger.found(ledger);
    Bytes token = token(3, root.rootAt(2), NOW);
    root.block(time(2, root.rootAt(2), new TimeProof.Token(token)));
    refuse("COMMITMENT_MISMATCH", "token-of-another-size", dated(root, 2));
    ReferenceLedger entry = ReferenceLedger.found(ledger);
    LedgerId tLedger = new LedgerId(Digest.ZERO);
    Bytes part = Bytes.fromHex("80");
    entry.block(
        time(
            2,
            entry.rootAt(2),
            new TimeProof.TLedger(tLedger, part, Fixtures.bytes32("entry"), part)));
    refuse("WRONG_TYPE", "entry-of-a-t-ledger-as-a-token", dated(entry, 2));
    ReferenceLedger good = anchored(NOW - 10_001);
    refuse("MISSING", "three-leaves", dated(good.block(ledger.single(1)), 2, 4, 2));
    refuse("MISSING", "one-leaf-with-a-proof", dated(good, under(good, 2), 2));
  }

  private void attestations() {
    Submission good = ledger.single(1);
    Bytes bent = Forge.flipBit(good.attestation(), good.attestation().size() - 1);
    convict("attestation-bent", attested(with(good, bent), Fixtures.ALICE));
    convict("attestation-of-no-signatures", attested(with(good, Bytes.fromHex("80"))));
    convict("attestation-that-is-none", attested(with(good, Bytes.utf8("signed"))));
    Submission other = ledger.single(2);
    convict(
        "attestation-of-another-request",
        attested(with(good, other.attestation()), Fixtures.ALICE));
    Extension.KeyRotation keys =
        new Extension.KeyRotation(
            Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey());
    Submission thief =
        ledger.service(Kind.KEY_ROTATION, keys, List.of(Fixtures.RECEIPT, Fixtures.NEXT_RECEIPT));
    convict("rotation-that-no-owner-signed", attested(thief));
    Submission owners = ledger.govern(Kind.KEY_ROTATION, keys, Fixtures.ALICE);
    convict("rotation-that-the-service-did-not-sign", attested(owners, Fixtures.ALICE));
    ReferenceLedger after =
        ReferenceLedger.found(ledger)
            .block(ledger.rotation())
            .rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT)
            .block(ledger.service(Kind.TIME, timeOf(2), List.of(Fixtures.RECEIPT)));
    convict(
        "time-by-the-old-receipt-key-after-a-rotation",
        new Misbehaviour(
            Claim.FALSE_ATTESTATION,
            after.params(),
            after.chain(2).encode(),
            List.of(after.receiptFile(4, 6).encode()),
            List.of(after.attestation(4))));
  }

  private void notAttestations() {
    Submission good = ledger.single(1);
    refuse("MISSING", "attestation-that-verifies", attested(good, Fixtures.ALICE));
    refuse("MISSING", "signer-whose-key-is-not-shown", attested(good, Fixtures.BOB));
    refuse("MISSING", "rotation-in-order", attested(ledger.rotation(), Fixtures.ALICE));
    ReferenceLedger log = ReferenceLedger.found(ledger).block(good);
    Bytes bent = Forge.flipBit(good.attestation(), good.attestation().size() - 1);
    Bytes key = Fixtures.ALICE.publicKey().spki();
    refuse(
        "COMMITMENT_MISMATCH",
        "attestation-bent-by-the-accuser",
        made(log, Claim.FALSE_ATTESTATION, List.of(bent, key), 2));
    refuse("MISSING", "no-attestation", made(log, Claim.FALSE_ATTESTATION, List.of(), 2));
    refuse(
        "WRONG_TYPE",
        "attestation-of-a-seal",
        made(log, Claim.FALSE_ATTESTATION, List.of(good.attestation(), key), 3));
    ReferenceLedger twice =
        ReferenceLedger.found(ledger)
            .block(ledger.rotation())
            .rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT)
            .block(ledger.service(Kind.TIME, timeOf(2), List.of(Fixtures.NEXT_RECEIPT)));
    refuse(
        "WRONG_KEY",
        "rotation-hidden-by-the-accuser",
        made(twice, Claim.FALSE_ATTESTATION, List.of(twice.attestation(4)), 4));
    ReferenceLedger before =
        ReferenceLedger.found(ledger)
            .block(ledger.service(Kind.TIME, timeOf(2), List.of(Fixtures.RECEIPT)))
            .block(ledger.rotation())
            .rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT);
    refuse(
        "MISSING",
        "time-by-the-old-receipt-key-before-a-rotation",
        new Misbehaviour(
            Claim.FALSE_ATTESTATION,
            before.params(),
            before.chain(4).encode(),
            List.of(before.receiptFile(2, 4).encode()),
            List.of(before.attestation(2))));
  }

  private void batches() {
    Submission batch = ledger.batch(1, 3);
    Bytes bent = Forge.flipBit(batch.attestation(), batch.attestation().size() - 1);
    Bytes key = Fixtures.ALICE.publicKey().spki();
    ReferenceLedger log = ReferenceLedger.found(ledger).block(with(batch, bent));
    convict("batch-bent", made(log, Claim.FALSE_ATTESTATION, List.of(bent, key), 2, 3, 4));
    refuse(
        "MISSING",
        "batch-without-its-last",
        made(log, Claim.FALSE_ATTESTATION, List.of(bent, key), 2, 3));
    refuse(
        "MISSING",
        "batch-out-of-order",
        made(log, Claim.FALSE_ATTESTATION, List.of(bent, key), 2, 4, 3));
    ReferenceLedger right = ReferenceLedger.found(ledger).block(batch);
    refuse(
        "MISSING",
        "batch-in-order",
        made(right, Claim.FALSE_ATTESTATION, List.of(batch.attestation(), key), 2, 3, 4));
  }

  private void seals() {
    ReferenceLedger log = ReferenceLedger.found(ledger).falseBlock(ledger.single(1), Digest.ZERO);
    convict("seal-of-another-root", made(log, Claim.FALSE_SEAL, List.of(), 3));
    ReferenceLedger right =
        ReferenceLedger.found(ledger).block(ledger.single(1)).block(ledger.single(2));
    refuse("MISSING", "seal-in-order", made(right, Claim.FALSE_SEAL, List.of(), 5));
    refuse("WRONG_TYPE", "journal-as-a-seal", made(right, Claim.FALSE_SEAL, List.of(), 4));
    log.block(ledger.single(2));
    refuse("WRONG_SIZE", "seal-under-a-later-head", made(log, Claim.FALSE_SEAL, List.of(), 3));
  }

  private void clues() {
    SampleClues gap =
        SampleClues.found(0).append(List.of("a")).append(List.of("a", "b")).append(List.of("a"));
    List<Bytes> without = new ArrayList<>(gap.leaves(5));
    without.remove(3);
    ReferenceClues lie = ReferenceClues.of(without);
    gap.seal(lie.root());
    convict("journal-left-out-of-a-lineage", omitted(gap, "a", 3, whole(gap, lie)));
    refuse("MISSING", "journal-that-the-lineage-has", omitted(gap, "a", 4, whole(gap, lie)));
    LineageProof first = run(gap, lie, 0);
    refuse("MISSING", "run-that-ends-before-the-journal", omitted(gap, "a", 3, first));
    LineageProof last = run(gap, lie, 1);
    refuse("MISSING", "run-that-begins-behind-the-journal", omitted(gap, "a", 3, last));
    Bytes absent = gap.clueProof("b", 6, lie).encode();
    convict("clue-that-was-never-used", omitted(gap, "b", 3, absent));
    refuse("WRONG_CLUE", "journal-of-another-clue", omitted(gap, "b", 2, absent));
    Bytes used = gap.clueProof("a", 6, lie).encode();
    refuse("MISSING", "clue-that-was-used", omitted(gap, "a", 3, used));
    Misbehaviour later =
        new Misbehaviour(
            Claim.OMITTED_JOURNAL,
            gap.params(),
            KeyChain.EMPTY.encode(),
            List.of(gap.receiptFile(3, 5).encode()),
            List.of(gap.clueId("b").toBytes(), absent));
    refuse("WRONG_JSN", "absence-under-another-head", gap, later);
  }

  private void bytes() {
    Misbehaviour good = dated(anchored(NOW - 10_001), 2);
    Bytes encoded = good.encode();
    malformed("of-type-18", Forge.replaceStart(encoded, "8613", "8612"));
    malformed("of-claim-0", Forge.replaceStart(encoded, "861301", "861300"));
    malformed("of-claim-5", Forge.replaceStart(encoded, "861301", "861305"));
    malformed("bytes-left-over", Forge.append(encoded, "00"));
    malformed("cut", encoded.slice(0, encoded.size() - 1));
    Misbehaviour elsewhere =
        new Misbehaviour(
            good.claim(),
            Fixtures.ledger(NOW + 1).params().encode(),
            good.keyChain(),
            good.receiptFiles(),
            good.items());
    refuse("WRONG_LEDGER", "params-of-another-ledger", elsewhere);
    Bytes file = good.receiptFiles().getFirst();
    Misbehaviour forged =
        new Misbehaviour(
            good.claim(),
            good.genesisParams(),
            good.keyChain(),
            List.of(Forge.flipBit(file, file.size() - 1)),
            good.items());
    refuse("BAD_SIGNATURE", "receipt-forged-by-the-accuser", forged);
  }

  private Misbehaviour dated(ReferenceLedger log, Integer... jsns) {
    return dated(log, List.of(), jsns);
  }

  private static Misbehaviour dated(ReferenceLedger log, List<Bytes> items, Integer... jsns) {
    return made(log, Claim.MISDATED, items, jsns);
  }

  private static Misbehaviour made(
      ReferenceLedger log, Claim claim, List<Bytes> items, Integer... jsns) {
    return new Misbehaviour(
        claim,
        log.params(),
        KeyChain.EMPTY.encode(),
        Stream.of(jsns).map(jsn -> log.receiptFile(jsn, log.size()).encode()).toList(),
        items);
  }

  /// A log whose one journal was signed like that.
  private Misbehaviour attested(Submission submission, SeededSigner... keys) {
    ReferenceLedger log = ReferenceLedger.found(ledger).block(submission);
    List<Bytes> items = new ArrayList<>(List.of(submission.attestation()));
    Stream.of(keys).forEach(key -> items.add(key.publicKey().spki()));
    return made(log, Claim.FALSE_ATTESTATION, items, 2);
  }

  private static Submission with(Submission submission, Bytes attestation) {
    return new Submission(submission.requests(), attestation);
  }

  /// A log whose first journal anchors the head of size 2.
  private ReferenceLedger anchored(long genTimeMs) {
    ReferenceLedger log = ReferenceLedger.found(ledger);
    return log.block(time(2, log.rootAt(2), genTimeMs));
  }

  /// An append dated `timeMs` behind a token of now.
  private ReferenceLedger backDated(long timeMs) {
    return anchored(NOW).block(ledger.single(1), timeMs, false);
  }

  /// An append of half a minute later, under the head of a token of `genTimeMs`.
  private ReferenceLedger postDated(long genTimeMs) {
    ReferenceLedger log =
        ReferenceLedger.found(ledger).block(ledger.single(1), NOW + 30_000, false);
    return log.block(time(4, log.rootAt(4), genTimeMs), NOW + 30_000, false);
  }

  private static List<Bytes> under(ReferenceLedger log, int size) {
    return List.of(InclusionProofBytes.encode(log.inclusion(Math.min(2, size - 1), size)));
  }

  private Submission time(int size, JournalRoot root, long genTimeMs) {
    return time(size, root, new TimeProof.Token(token(size, root, genTimeMs)));
  }

  private Submission time(int size, JournalRoot root, TimeProof proof) {
    Extension.Time time = new Extension.Time(new TreeSize(size), root, Optional.empty(), proof);
    return ledger.service(Kind.TIME, time, List.of(Fixtures.RECEIPT));
  }

  private Extension.Time timeOf(int size) {
    JournalRoot root = new JournalRoot(Digest.ZERO);
    return new Extension.Time(
        new TreeSize(size), root, Optional.empty(), new TimeProof.Token(token(size, root, NOW)));
  }

  private Bytes token(int size, JournalRoot root, long genTimeMs) {
    Digest imprint = new Checkpoint(ledger.params().origin(0), new TreeSize(size), root).imprint();
    return Bytes.wrap(ByteBuffer.allocate(40).putLong(genTimeMs).put(imprint.toArray()).array());
  }

  private static Bytes whole(SampleClues log, ReferenceClues lie) {
    List<Bytes> leaves = lie.journals(log.clueId("a"));
    return new LineageProof(log.clueProof("a", 6, lie), 0, List.of(), leaves).encode();
  }

  private static LineageProof run(SampleClues log, ReferenceClues lie, int first) {
    Digest clueId = log.clueId("a");
    return new LineageProof(
        log.clueProof("a", 6, lie),
        first,
        lie.tree(clueId).outsideRange(first, 1, 2),
        lie.journals(clueId).subList(first, first + 1));
  }

  private static Misbehaviour omitted(SampleClues log, String clue, int jsn, LineageProof proof) {
    return omitted(log, clue, jsn, proof.encode());
  }

  private static Misbehaviour omitted(SampleClues log, String clue, int jsn, Bytes proof) {
    return new Misbehaviour(
        Claim.OMITTED_JOURNAL,
        log.params(),
        KeyChain.EMPTY.encode(),
        List.of(log.receiptFile(jsn, 6).encode()),
        List.of(log.clueId(clue).toBytes(), proof));
  }

  private void convict(String name, Misbehaviour made) {
    set.accept(of(name, made));
  }

  private void refuse(String code, String name, Misbehaviour made) {
    set.refuse(code, of(name, made));
  }

  private void refuse(String code, String name, SampleClues log, Misbehaviour made) {
    set.refuse(code, of(name, log.strand(), made.encode()));
  }

  private void malformed(String name, Bytes file) {
    set.refuse("MALFORMED", of(name, ledger.strand(), file));
  }

  private VectorCase of(String name, Misbehaviour made) {
    StrandId strand =
        made.claim() == Claim.OMITTED_JOURNAL ? SampleClues.found(0).strand() : ledger.strand();
    return of(name, strand, made.encode());
  }

  private static VectorCase of(String name, StrandId strand, Bytes file) {
    return VectorCase.of("misbehaviour/" + name, "misbehaviour", name.replace('-', ' '))
        .with(strand)
        .with("file", file);
  }
}
