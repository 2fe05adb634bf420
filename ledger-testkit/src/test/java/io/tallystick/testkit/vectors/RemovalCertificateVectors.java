package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.ErasureProtected;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.Anchor;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.removal.ErasureStatement;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SampleRemoval;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// Topic `removal-certificate`: what shows that something was removed, and what does not.
final class RemovalCertificateVectors {
  private static final long NOW = Fixtures.TIME_MS;
  private static final long DAYS_30 = 2_592_000_000L;
  private static final SeededSigner REGULATOR = SampleRemoval.REGULATOR;
  private static final Digest HASH = Digest.fromHex("44".repeat(32));

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();

  /// Journal 10 occults 4 and 6, journal 12 is a time journal.
  private final ReferenceLedger log =
      SampleRemoval.timed(ledger, SampleRemoval.occulted(ledger, SampleRemoval.log(ledger), 4, 6));

  private final ErasureStatement statement = SampleRemoval.statement(log, 10, 4, 2);
  private final RemovalCertificate good = SampleRemoval.certificate(log, 10, statement, 4, 6);

  RemovalCertificateVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    occults();
    clues();
    purges();
    statements();
    rotations();
    removals();
    regulators();
    targets();
    times();
    bytes();
  }

  private void occults() {
    accept("of-two-journals", good);
    accept("of-two-journals-with-a-time-journal", SampleRemoval.certificate());
    ReferenceLedger both =
        removal(SampleRemoval.occult(log, 4), NOW, Fixtures.ALICE, Fixtures.BOB, REGULATOR);
    accept("with-a-cosigner", certificate(both, 10, 4, 1, 4));
    set.refuse("WRONG_LEDGER", of("for-another-strand", good).with("strand", 1));
    StrandId elsewhere = Fixtures.ledger(NOW + 1).strand();
    set.refuse("WRONG_LEDGER", of("for-another-ledger", good).with(elsewhere));
    RemovalCertificate params =
        new RemovalCertificate(
            Fixtures.ledger(NOW + 1).params().encode(),
            good.statement(),
            good.removal(),
            good.attestation(),
            good.targets(),
            good.time(),
            good.keyChain());
    refuse("WRONG_LEDGER", "with-the-parameters-of-another-ledger", params);
  }

  private void clues() {
    ReferenceLedger both = removal(clue(0, 9), NOW, Fixtures.ALICE, REGULATOR);
    accept("of-a-clue", certificate(both, 10, 4, 2, 4, 6));
    ReferenceLedger one = removal(clue(6, 6), NOW, Fixtures.ALICE, REGULATOR);
    accept("of-a-clue-at-one-jsn", certificate(one, 10, 6, 1, 6));
    refuse("MISSING", "of-a-clue-with-a-target-left-out", certificate(both, 10, 4, 2, 4));
    refuse("WRONG_CLUE", "of-a-clue-with-a-strangers-journal", certificate(both, 10, 4, 2, 4, 8));
    refuse("LEAF_MISMATCH", "of-a-clue-from-a-later-journal-on", certificate(both, 10, 4, 1, 6));
    refuse("LEAF_MISMATCH", "of-a-clue-with-more-than-the-range", certificate(one, 10, 6, 2, 6, 8));
    refuse("LEAF_MISMATCH", "of-a-clue-below-the-range", certificate(one, 10, 4, 1, 4));
    ReferenceLedger own = removal(clue(0, 10), NOW, Fixtures.ALICE, REGULATOR);
    refuse("BROKEN_CHAIN", "of-a-clue-up-to-itself", certificate(own, 10, 4, 2, 4, 6));
  }

  private void purges() {
    Extension purge = new Extension.Purge(new Jsn(8), 3, HASH, 4_000);
    ReferenceLedger purged = removal(purge, NOW, Fixtures.ALICE, Fixtures.BOB);
    accept("of-a-purge", certificate(purged, 10, 0, 8));
    accept("of-a-purge-with-receipts-that-members-kept", certificate(purged, 10, 0, 8, 2, 6));
    accept("of-a-purge-after-another", certificate(purged, 10, 4, 4));
    refuse("LEAF_MISMATCH", "of-a-purge-beyond-its-end", certificate(purged, 10, 0, 9));
    refuse("WRONG_JSN", "of-a-purge-with-a-journal-it-keeps", certificate(purged, 10, 0, 8, 8));
    refuse("WRONG_JSN", "of-a-purge-with-one-purged-before", certificate(purged, 10, 4, 4, 2));
    Extension late = new Extension.Purge(new Jsn(8), 3, HASH, 5_001);
    ReferenceLedger open = removal(late, NOW, Fixtures.ALICE, Fixtures.BOB);
    refuse("BROKEN_CHAIN", "of-a-purge-that-could-be-recalled", certificate(open, 10, 0, 8));
    ReferenceLedger alone = removal(purge, NOW, REGULATOR);
    refuse("MISSING", "of-a-purge-without-an-owner", certificate(alone, 10, 0, 8));
  }

  private void statements() {
    refuse("BAD_SIGNATURE", "with-a-bent-statement", signed(bent(good.statement())));
    refuse("WRONG_KEY", "with-a-statement-by-the-note-key", signed(statement.sign(Fixtures.NOTE)));
    refuse("WRONG_KEY", "with-a-statement-by-an-owner", signed(statement.sign(Fixtures.ALICE)));
    Bytes next = statement.sign(Fixtures.NEXT_RECEIPT);
    refuse("WRONG_KEY", "with-a-statement-by-a-key-that-is-not-shown", signed(next));
    JournalRef self = statement.removal();
    state("WRONG_JSN", "of-another-removal", new JournalRef(new Jsn(12), self.leafHash()), 1, 4, 2);
    state("LEAF_MISMATCH", "of-another-leaf", new JournalRef(self.jsn(), HASH), 1, 4, 2);
    state("BROKEN_CHAIN", "made-before-the-removal", self, -1, 4, 2);
    accept("with-a-statement-of-the-same-moment", signed(stated(self, 0, 4, 2)));
    state("LEAF_MISMATCH", "of-one-journal-less", self, 1, 4, 1);
    state("LEAF_MISMATCH", "of-one-journal-more", self, 1, 4, 3);
    state("LEAF_MISMATCH", "from-a-later-journal-on", self, 1, 6, 2);
    StrandId strand = new StrandId(log.strand().ledger(), 1);
    Bytes moved = new ErasureStatement(strand, self, NOW, new Jsn(4), 2).sign(Fixtures.RECEIPT);
    refuse("WRONG_LEDGER", "with-a-statement-of-another-strand", signed(moved));
    Bytes anchor =
        new Anchor(log.strand(), new TreeSize(12), log.rootAt(12)).sign(Fixtures.RECEIPT);
    refuse("WRONG_TYPE", "with-an-anchor-for-a-statement", signed(anchor));
    String tail = "0a5820" + self.leafHash().hex() + "1b000001a0c4507f880402";
    payload("of-type-16", "8610" + tail);
    payload("with-an-item-more", "8711" + tail + "00");
    payload("of-no-journal", "8611" + tail.substring(0, tail.length() - 2) + "00");
    payload("with-bytes-left-over", "8611" + tail + "00");
    payload("from-itself-on", "8611" + tail.substring(0, tail.length() - 4) + "0a01");
  }

  private void rotations() {
    ReferenceLedger after =
        SampleRemoval.occulted(ledger, SampleRemoval.log(ledger), 4, 6)
            .block(ledger.rotation())
            .rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT)
            .block(ledger.single(4));
    RemovalCertificate rotated =
        SampleRemoval.withChain(certificate(after, 10, 4, 2, 4, 6), after.chain(2, 12));
    accept("with-a-statement-before-a-rotation", rotated);
    Bytes next = SampleRemoval.statement(after, 10, 4, 2).sign(Fixtures.NEXT_RECEIPT);
    accept("with-a-statement-after-a-rotation", SampleRemoval.withStatement(rotated, next));
    refuse(
        "WRONG_KEY",
        "whose-key-chain-leaves-the-rotation-out",
        SampleRemoval.withChain(rotated, after.chain(2)));
    ReferenceLedger before =
        SampleRemoval.log(ledger)
            .block(ledger.rotation())
            .rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT);
    SampleRemoval.occulted(ledger, before, 4, 6);
    RemovalCertificate old =
        SampleRemoval.withChain(certificate(before, 12, 4, 2, 4, 6), before.chain(2, 10));
    refuse("WRONG_KEY", "with-a-statement-by-a-key-rotated-away", old);
    Bytes present = SampleRemoval.statement(before, 12, 4, 2).sign(Fixtures.NEXT_RECEIPT);
    accept("after-a-rotation", SampleRemoval.withStatement(old, present));
  }

  private void removals() {
    refuse(
        "BAD_SIGNATURE", "with-a-bent-receipt", removed(bent(good.removal()), good.attestation()));
    Bytes append = SampleRemoval.file(log, 8);
    refuse("WRONG_TYPE", "of-an-append", removed(append, log.attestation(8)));
    Bytes seal = SampleRemoval.file(log, 9);
    refuse("WRONG_TYPE", "of-a-seal", removed(seal, log.attestation(8)));
    ReferenceLedger recalled = removal(new Extension.Recall(new Jsn(8)), NOW, Fixtures.ALICE);
    refuse("WRONG_TYPE", "of-a-recall", certificate(recalled, 10, 4, 2, 4, 6));
    Submission stripped = occult(Fixtures.ALICE);
    refuse(
        "COMMITMENT_MISMATCH",
        "cosigner-stripped",
        removed(good.removal(), stripped.attestation()));
    Submission added = occult(Fixtures.ALICE, Fixtures.BOB, REGULATOR);
    refuse("COMMITMENT_MISMATCH", "cosigner-added", removed(good.removal(), added.attestation()));
    signers("MISSING", "without-a-regulator", Fixtures.ALICE, Fixtures.BOB);
    signers("MISSING", "without-an-owner", REGULATOR);
    signers("NOT_A_MEMBER", "by-a-stranger", Fixtures.ALICE, REGULATOR, Fixtures.CAROL);
    refuse(
        "NOT_A_MEMBER",
        "by-a-regulator-that-is-not-shown",
        SampleRemoval.withChain(good, KeyChain.EMPTY));
    Fixtures permanent = ledger.withFeatures(Set.of(Feature.PERMANENT));
    ReferenceLedger kept = SampleRemoval.log(permanent);
    SampleRemoval.occulted(permanent, kept, 4, 6);
    set.refuse(
        "BROKEN_CHAIN",
        of("in-a-permanent-ledger", certificate(kept, 10, 4, 2, 4, 6)).with(permanent.strand()));
    ReferenceLedger marked =
        SampleRemoval.log(ledger).block(occult(Fixtures.ALICE, REGULATOR), NOW, true);
    refuse("LEAF_MISMATCH", "with-a-mark-added", certificate(marked, 10, 4, 2, 4, 6));
    ReferenceLedger expired =
        SampleRemoval.log(ledger).block(occult(Fixtures.ALICE, REGULATOR), NOW + 60_001, false);
    refuse("BROKEN_CHAIN", "kept-for-later", certificate(expired, 10, 4, 2, 4, 6));
  }

  private void regulators() {
    long due = NOW + DAYS_30;
    accept("by-a-regulator-of-30-days", appointed(due, Role.REGULATOR));
    refuse("MISSING", "by-a-regulator-a-millisecond-too-new", appointed(due - 1, Role.REGULATOR));
    refuse("MISSING", "by-a-regulator-of-today", appointed(NOW, Role.REGULATOR));
    refuse("MISSING", "by-who-is-no-regulator", appointed(due, Role.NORMAL));
    refuse("BROKEN_CHAIN", "signed-by-who-may-only-read", appointed(due, Role.READ_ONLY));
    ReferenceLedger renewed = appendedAfter().block(grant(Role.REGULATOR));
    SampleRemoval.occulted(ledger, renewed, 4);
    accept(
        "by-a-regulator-that-was-renewed-since",
        SampleRemoval.withChain(certificate(renewed, 8, 4, 1, 4), renewed.chain(2, 6)));
    ReferenceLedger again = appendedAfter().block(grant(Role.NORMAL)).block(grant(Role.REGULATOR));
    SampleRemoval.occulted(ledger, again, 4);
    refuse(
        "MISSING",
        "by-a-regulator-that-became-one-again-since",
        SampleRemoval.withChain(certificate(again, 10, 4, 1, 4), again.chain(2, 6, 8)));
  }

  /// Journal 4, appended while the regulator of journal 2 was one.
  private ReferenceLedger appendedAfter() {
    return ReferenceLedger.found(ledger)
        .block(ledger.memberAdd(Role.REGULATOR, REGULATOR.publicKey()))
        .block(ledger.single(1));
  }

  private Submission grant(Role role) {
    Extension grant =
        new Extension.Grant(
            role,
            REGULATOR.publicKey(),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            Optional.empty());
    return ledger.govern(Kind.GRANT, grant, Fixtures.ALICE);
  }

  /// An occult of journal 2 with a key that journal 4 gave a role, at a time.
  private RemovalCertificate appointed(long timeMs, Role role) {
    Fixtures then = new Fixtures(ledger.params(), timeMs);
    ReferenceLedger made =
        ReferenceLedger.found(ledger)
            .block(ledger.single(1))
            .block(ledger.memberAdd(role, REGULATOR.publicKey()));
    Extension occult = SampleRemoval.occult(made, 2);
    made.block(then.govern(Kind.OCCULT, occult, Fixtures.ALICE, REGULATOR), timeMs, false);
    ErasureStatement done =
        new ErasureStatement(
            made.strand(), SampleRemoval.ref(made, 6), timeMs + 5_000, new Jsn(2), 1);
    return SampleRemoval.withChain(SampleRemoval.certificate(made, 6, done, 2), made.chain(4));
  }

  private void targets() {
    Bytes four = SampleRemoval.file(log, 4);
    Bytes six = SampleRemoval.file(log, 6);
    shown("MISSING", "with-a-target-left-out", four);
    shown("MISSING", "without-targets");
    shown("MISSING", "with-a-target-more", four, six, SampleRemoval.file(log, 8));
    shown("WRONG_JSN", "with-another-target", four, SampleRemoval.file(log, 8));
    shown("WRONG_JSN", "with-targets-backwards", six, four);
    shown("WRONG_JSN", "with-a-target-twice", four, four);
    shown("WRONG_TYPE", "with-a-seal-for-a-target", four, SampleRemoval.file(log, 7));
    shown("BAD_SIGNATURE", "with-a-bent-target", four, bent(six));
    Bytes foreign = log.receiptFile(6, log.size(), Fixtures.NEXT_RECEIPT).encode();
    shown("WRONG_KEY", "with-a-target-by-another-key", four, foreign);
    ReferenceLedger other =
        removal(
            new Extension.Occult(
                new ErasureTarget.Journals(List.of(new JournalRef(new Jsn(4), HASH))), ""),
            NOW,
            Fixtures.ALICE,
            REGULATOR);
    refuse("LEAF_MISMATCH", "with-another-leaf-hash", certificate(other, 10, 4, 1, 4));
    ReferenceLedger grant =
        removal(SampleRemoval.occult(log, 2), NOW + DAYS_30, Fixtures.ALICE, REGULATOR);
    ErasureStatement done =
        new ErasureStatement(
            grant.strand(), SampleRemoval.ref(grant, 10), NOW + DAYS_30, new Jsn(2), 1);
    refuse("WRONG_TYPE", "of-a-grant", SampleRemoval.certificate(grant, 10, done, 2));
  }

  private void times() {
    refuse("WRONG_TYPE", "with-an-append-for-a-time-journal", timed(SampleRemoval.file(log, 8)));
    refuse("BAD_SIGNATURE", "with-a-bent-time-journal", timed(bent(SampleRemoval.file(log, 12))));
    ReferenceLedger early =
        SampleRemoval.occulted(
            ledger, SampleRemoval.timed(ledger, SampleRemoval.log(ledger)), 4, 6);
    RemovalCertificate before = certificate(early, 12, 4, 2, 4, 6);
    refuse(
        "WRONG_SIZE",
        "with-a-time-journal-from-before",
        SampleRemoval.withTime(before, SampleRemoval.file(early, 10)));
  }

  private void bytes() {
    Bytes file = good.encode();
    malformed("of-type-19", Forge.replaceStart(file, "8812", "8813"));
    malformed("with-an-item-more", Forge.append(Forge.replaceStart(file, "8812", "8912"), "00"));
    malformed("with-bytes-left-over", Forge.append(file, "00"));
    malformed("cut", file.slice(0, file.size() - 1));
    String chain = new CborWriter().bytes(good.keyChain()).toBytes().hex();
    malformed("without-a-key-chain", Forge.replace(file, "f6" + chain, "f6f6"));
    malformed("with-false-for-a-time-journal", Forge.replace(file, "f6" + chain, "f4" + chain));
    String attestation = new CborWriter().bytes(good.attestation()).toBytes().hex();
    malformed(
        "with-101-targets",
        Forge.replace(file, attestation + "82", attestation + "1865" + "40".repeat(99)));
    malformed("without-a-statement", replaceStatement(file));
    List<Bytes> hundred = new ArrayList<>(Collections.nCopies(100, Bytes.EMPTY));
    malformed("with-100-empty-targets", SampleRemoval.withTargets(good, hundred).encode());
  }

  private Bytes replaceStatement(Bytes file) {
    String item = new CborWriter().bytes(good.statement()).toBytes().hex();
    return Forge.replace(file, item, "f6");
  }

  private ReferenceLedger removal(Extension extension, long timeMs, Signer... signers) {
    Kind kind =
        switch (extension) {
          case Extension.Purge _ -> Kind.PURGE;
          case Extension.Recall _ -> Kind.RECALL;
          default -> Kind.OCCULT;
        };
    Fixtures then = new Fixtures(ledger.params(), timeMs);
    return SampleRemoval.log(ledger).block(then.govern(kind, extension, signers), timeMs, false);
  }

  private Submission occult(Signer... signers) {
    return ledger.govern(Kind.OCCULT, SampleRemoval.occult(log, 4, 6), signers);
  }

  private Extension clue(long first, long last) {
    return new Extension.Occult(
        new ErasureTarget.OfClue(SampleRemoval.clueId(ledger), new Jsn(first), new Jsn(last)),
        SampleRemoval.BASIS);
  }

  private static RemovalCertificate certificate(
      ReferenceLedger made, int removal, int first, int count, Integer... targets) {
    return SampleRemoval.certificate(
        made, removal, SampleRemoval.statement(made, removal, first, count), targets);
  }

  private void signers(String code, String name, Signer... signers) {
    ReferenceLedger made = SampleRemoval.log(ledger).block(occult(signers));
    refuse(code, name, certificate(made, 10, 4, 2, 4, 6));
  }

  private Bytes stated(JournalRef removal, long afterMs, long first, long count) {
    return new ErasureStatement(log.strand(), removal, NOW + afterMs, new Jsn(first), count)
        .sign(Fixtures.RECEIPT);
  }

  private void state(
      String code, String name, JournalRef removal, long afterMs, long first, long count) {
    refuse(code, "with-a-statement-" + name, signed(stated(removal, afterMs, first, count)));
  }

  private void payload(String name, String hex) {
    Bytes header =
        new ErasureProtected(
                Fixtures.RECEIPT.publicKey().algorithm(),
                Fixtures.RECEIPT.publicKey().kid(),
                log.strand())
            .encode();
    Bytes message = Forge.sign(Fixtures.RECEIPT, header, Bytes.fromHex(hex)).encode();
    refuse("MALFORMED", "with-a-statement-" + name, signed(message));
  }

  private void shown(String code, String name, Bytes... targets) {
    refuse(code, name, SampleRemoval.withTargets(good, List.of(targets)));
  }

  private RemovalCertificate signed(Bytes message) {
    return SampleRemoval.withStatement(good, message);
  }

  private RemovalCertificate removed(Bytes file, Bytes attestation) {
    return SampleRemoval.withRemoval(good, file, attestation);
  }

  private RemovalCertificate timed(Bytes file) {
    return SampleRemoval.withTime(good, file);
  }

  /// Receipt files and statements end with a signature.
  private static Bytes bent(Bytes signed) {
    return Forge.flipBit(signed, signed.size() - 40);
  }

  private void malformed(String name, Bytes file) {
    set.refuse("MALFORMED", of(name, good).with("file", file));
  }

  private void accept(String name, RemovalCertificate certificate) {
    set.accept(of(name, certificate));
  }

  private void refuse(String code, String name, RemovalCertificate certificate) {
    set.refuse(code, of(name, certificate));
  }

  private VectorCase of(String name, RemovalCertificate certificate) {
    return VectorCase.of(
            "removal-certificate/" + name, "removalCertificate", name.replace('-', ' '))
        .with(ledger.strand())
        .with("file", certificate.encode());
  }
}
