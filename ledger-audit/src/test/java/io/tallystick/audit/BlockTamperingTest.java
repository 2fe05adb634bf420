package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;
import static io.tallystick.audit.Logs.assertFault;

import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: what is wrong with genesis, blocks, times and signed heads is caught at the exact jsn, for
/// the right reason. Method: the sample log, changed or continued in one wrong way.
class BlockTamperingTest {

  @Test
  void catchesTimeThatGoesBackwardsOrMovesInsideABlock() {
    ReferenceLedger backwards =
        Logs.sample().at(FIXTURES.timeMs() + 10).append(FIXTURES.single(30)).seal();
    assertFault(backwards, 17, FaultKind.TIME_BACKWARDS);
    ReferenceLedger moving =
        Logs.sample()
            .append(FIXTURES.single(30))
            .at(FIXTURES.timeMs() + 1_000)
            .append(FIXTURES.single(31))
            .seal();
    assertFault(moving, 18, FaultKind.BROKEN_BLOCK);
  }

  @Test
  void catchesTimesOutsideWhatTheClientSigned() {
    long time = FIXTURES.timeMs();
    ReferenceLedger late = Logs.sample().at(time + 60_001).append(FIXTURES.single(30)).seal();
    assertFault(late, 17, FaultKind.TIME_OUTSIDE_WINDOW);
    Submission early = later(FIXTURES, time + 31_000, 60_000);
    assertFault(Logs.sample().append(early).seal(), 17, FaultKind.TIME_OUTSIDE_WINDOW);
    Submission patient = later(FIXTURES, time, 60_001);
    assertFault(Logs.sample().append(patient).seal(), 17, FaultKind.WINDOW_TOO_LONG);
  }

  @Test
  void catchesSealsThatAreNotTheNext() {
    ReferenceLedger log = Logs.sample().append(FIXTURES.single(30));
    SealLeaf right = log.nextSeal();
    assertSeal(
        seal(right, right.height() + 1, right.previous(), 17, right.journalRoot()),
        FaultKind.WRONG_HEIGHT);
    assertSeal(
        seal(right, right.height(), Digest.ZERO, 17, right.journalRoot()), FaultKind.BROKEN_CHAIN);
    assertSeal(
        seal(right, right.height(), right.previous(), 16, right.journalRoot()),
        FaultKind.BROKEN_BLOCK);
    assertSeal(
        seal(right, right.height(), right.previous(), 17, Digest.ZERO), FaultKind.WRONG_ROOT);
    assertSeal(
        new SealLeaf(
            right.jsn(),
            right.timeMs(),
            right.height(),
            right.previous(),
            right.firstJsn(),
            right.journalRoot(),
            Digest.ZERO,
            right.stateRoot()),
        FaultKind.WRONG_FEATURE_ROOT);
  }

  private static void assertSeal(SealLeaf seal, FaultKind kind) {
    assertFault(Logs.sample().append(FIXTURES.single(30)).seal(seal), 18, kind);
  }

  @Test
  void catchesABlockWithoutJournals() {
    ReferenceLedger log = Logs.sample();
    SealLeaf second =
        SealLeaf.of(new Jsn(17), FIXTURES.timeMs() + 100, 6, Digest.ZERO, new Jsn(16), log.root());
    assertFault(log.seal(second), 17, FaultKind.BROKEN_BLOCK);
  }

  @Test
  void catchesALogThatEndsInsideABlock() {
    assertFault(Logs.sample().append(FIXTURES.single(30)), 17, FaultKind.UNSEALED_END);
  }

  @Test
  void catchesAJournalBeforeTheSealOfGenesisAndASecondGenesis() {
    MemoryLog log = MemoryLog.of(Logs.sample());
    ReferenceLedger early = ReferenceLedger.found(FIXTURES);
    LogEntry journal = MemoryLog.of(early.append(FIXTURES.single(1))).entries().get(2);
    Leaf leaf =
        new JournalLeaf(
            new Jsn(1),
            FIXTURES.timeMs(),
            FIXTURES.request(1).header(),
            Attestation.hash(journal.attestation()),
            0,
            1);
    assertFault(
        log.with(
            1,
            entry ->
                new LogEntry(
                    leaf.encode(),
                    journal.attestation(),
                    BodyState.PRESENT,
                    journal.salt(),
                    journal.body())),
        1,
        FaultKind.WRONG_TYPE);
    assertFault(log.with(2, entry -> log.entries().get(0)), 2, FaultKind.WRONG_JSN);
    assertFault(log.with(0, entry -> log.entries().get(2)), 0, FaultKind.WRONG_JSN);
  }

  @Test
  void catchesAFoundationThatNotAllOwnersSigned() {
    Bytes attestation =
        RequestSigner.signGenesis(FIXTURES.params(), List.of(Fixtures.ALICE)).encode();
    assertFault(foundedWith(attestation, FIXTURES.timeMs()), 0, FaultKind.GENESIS_INVALID);
  }

  @Test
  void catchesAFoundationThatIsBackDated() {
    Bytes attestation = FIXTURES.genesisAttestation().encode();
    assertFault(foundedWith(attestation, FIXTURES.timeMs() - 30_001), 0, FaultKind.GENESIS_INVALID);
  }

  private static MemoryLog foundedWith(Bytes attestation, long timeMs) {
    Leaf leaf =
        new GenesisLeaf(timeMs, 0, FIXTURES.params().encode(), Attestation.hash(attestation));
    return MemoryLog.of(Logs.sample())
        .with(
            0,
            entry ->
                new LogEntry(leaf.encode(), attestation, BodyState.NONE, Bytes.EMPTY, Bytes.EMPTY));
  }

  @Test
  void catchesHeadsOfAnotherSizeRootOrKey() {
    ReferenceLedger ledger = Logs.sample();
    Bytes note = ledger.checkpoint();
    Bytes receipt = ledger.headReceipt();
    assertHead(note, Bytes.EMPTY, FaultKind.HEAD_MISSING);
    assertHead(note, ledger.headReceipt(Fixtures.CAROL), FaultKind.HEAD_INVALID);
    assertHead(note, ledger.headReceipt(Fixtures.NOTE), FaultKind.HEAD_INVALID);
    assertHead(note, ledger.receipt(Fixtures.RECEIPT, 17, 15), FaultKind.HEAD_INVALID);
    assertHead(note, ledger.receipt(Fixtures.RECEIPT, 15, 14), FaultKind.HEAD_INVALID);
    Bytes[] notes = {
      ledger.checkpoint(Fixtures.CAROL, 17, ledger.root()),
      ledger.checkpoint(Fixtures.RECEIPT, 17, ledger.root()),
      ledger.checkpoint(Fixtures.NOTE, 15, ledger.root(15)),
      ledger.checkpoint(Fixtures.NOTE, 15, ledger.root()),
      ledger.checkpoint(Fixtures.NOTE, 17, Digest.ZERO),
      receipt
    };
    for (Bytes other : notes) {
      assertHead(other, receipt, FaultKind.HEAD_INVALID);
    }
  }

  private static void assertHead(Bytes checkpoint, Bytes receipt, FaultKind kind) {
    assertFault(MemoryLog.of(Logs.sample()).withEnd(checkpoint, receipt), 16, kind);
  }

  private static SealLeaf seal(
      SealLeaf right, long height, Digest previous, long firstJsn, Digest root) {
    return SealLeaf.of(right.jsn(), right.timeMs(), height, previous, new Jsn(firstJsn), root);
  }

  private static Submission later(Fixtures fixtures, long clientTimeMs, long windowMs) {
    SignedRequest request =
        RequestDraft.append(
                fixtures.strand(),
                Bytes.utf8("later"),
                "text/plain",
                clientTimeMs,
                Fixtures.bytes32("later"))
            .withExpiry(clientTimeMs + windowMs)
            .build();
    return fixtures.submission(request, Fixtures.ALICE);
  }
}
