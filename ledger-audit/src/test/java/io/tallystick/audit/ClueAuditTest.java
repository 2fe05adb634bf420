package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.journal.Body;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a right log with clues passes and is counted, with little memory too; where the clue trie
/// may be used, and what may be deleted, is judged at the journal. Method: logs of the reference
/// ledger, whose clue roots are the recursive trie's.
class ClueAuditTest {
  private static final Fixtures WITHOUT = Logs.FIXTURES;

  @TempDir private Path folder;

  @Test
  void passesARightLogWithCluesAndCountsThem() {
    AuditReport report = ClueLogs.audit(ClueLogs.sample());
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.size().value()).isEqualTo(ClueLogs.SIZE);
    assertThat(report.counts().clues()).isEqualTo(ClueLogs.CLUES);
    assertThat(report.counts().clueEntries()).isEqualTo(ClueLogs.ENTRIES);
    assertThat(report.counts().clueDeletions()).isEqualTo(2);
    assertThat(AuditText.of(report)).contains("68 clues with 76 entries, 2 of them deletions\n");
    assertThat(AuditSummary.of(report).counts().clues()).isEqualTo(ClueLogs.CLUES);
    assertThat(AuditText.of(Logs.audit(Logs.sample()))).doesNotContain("clues");
  }

  @Test
  void findsTheSameHoweverLittleMemoryThereIsAndHoweverManyThreads() {
    MemoryLog log = MemoryLog.of(longLog());
    AuditReport want = ClueLogs.audit(log, Logs.OPTIONS);
    assertThat(want.firstFault()).isEmpty();
    assertThat(want.counts().clues()).isEqualTo(1_000);
    for (AuditOptions options :
        List.of(
            ClueLogs.spilling(folder),
            ClueLogs.spilling(folder).withThreads(1).withAllFaults(),
            Logs.OPTIONS.withThreads(8))) {
      AuditReport report = ClueLogs.audit(log, options);
      assertThat(report.firstFault()).isEmpty();
      assertThat(report.counts()).isEqualTo(want.counts());
    }
    assertThat(ClueLogs.audit(log, Logs.OPTIONS.withoutBodies()).firstFault()).isEmpty();
  }

  /// Several chunks; the last blocks have one journal each.
  private static ReferenceLedger longLog() {
    ReferenceLedger ledger = ReferenceLedger.found(ClueLogs.FIXTURES);
    for (int i = 0; i < 4; i++) {
      List<SignedRequest> requests = new ArrayList<>();
      for (int j = 0; j < 900; j++) {
        int number = 900 * i + j;
        requests.add(
            ClueLogs.FIXTURES.draft(number).withClues(List.of("clue " + number % 1_000)).build());
      }
      ledger.append(ClueLogs.FIXTURES.submission(requests, Fixtures.ALICE)).seal();
    }
    ledger.append(ClueLogs.FIXTURES.clueDelete(5_000, "clue 7")).seal();
    return ledger.append(ClueLogs.FIXTURES.clued(5_001, "clue 7", "clue 8")).seal();
  }

  @Test
  void passesALogWhoseOwnersTurnTheClueTrieOnInTheMiddle() {
    AuditReport report = Logs.audit(turnedOn(3, 3));
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.counts().clues()).isEqualTo(2);
  }

  /// @param firstHeight that the owners announce in block 1
  /// @param height of the block that names clues first, at least 3
  private static ReferenceLedger turnedOn(long firstHeight, int height) {
    ReferenceLedger ledger =
        ReferenceLedger.found(WITHOUT).append(WITHOUT.clueTrieFrom(firstHeight)).seal();
    for (int i = 2; i < height; i++) {
      ledger.append(WITHOUT.single(i)).seal();
    }
    return ledger.append(WITHOUT.clued(50, "a", "b")).append(WITHOUT.clued(51, "a")).seal();
  }

  @Test
  void catchesAClueBeforeTheClueTrieIsOn() {
    ReferenceLedger never =
        ReferenceLedger.found(WITHOUT).append(WITHOUT.single(1)).append(WITHOUT.clued(2, "a"));
    Logs.assertFault(never.seal(), 3, FaultKind.FEATURE_NOT_ENABLED);
    Logs.assertFault(turnedOn(4, 3), 6, FaultKind.FEATURE_NOT_ENABLED);
    Logs.assertFault(
        ReferenceLedger.found(WITHOUT).append(WITHOUT.clueDelete(2, "a")).seal(),
        2,
        FaultKind.FEATURE_NOT_ENABLED);
  }

  @Test
  void catchesAClueInTheBlockThatAnnouncesTheClueTrie() {
    ReferenceLedger log =
        ReferenceLedger.found(WITHOUT)
            .append(WITHOUT.clueTrieFrom(2))
            .append(WITHOUT.clued(2, "a"))
            .seal();
    Logs.assertFault(log, 3, FaultKind.FEATURE_NOT_ENABLED);
  }

  @Test
  void catchesParametersThatAServiceRefuses() {
    Logs.assertFault(
        ReferenceLedger.found(WITHOUT).append(WITHOUT.clueTrieFrom(1)).seal(),
        2,
        FaultKind.PARAMETERS_INVALID);
    Logs.assertFault(
        ReferenceLedger.found(WITHOUT)
            .append(WITHOUT.clueTrieFrom(3))
            .append(WITHOUT.clueTrieFrom(4))
            .seal(),
        3,
        FaultKind.PARAMETERS_INVALID);
    Submission forest =
        WITHOUT.govern(
            Kind.PARAMETERS,
            new Extension.Parameters(5, Set.of(Feature.STATE_FOREST)),
            Fixtures.ALICE);
    Logs.assertFault(
        ReferenceLedger.found(WITHOUT).append(forest).seal(), 2, FaultKind.PARAMETERS_INVALID);
    ClueLogs.assertFault(
        ReferenceLedger.found(ClueLogs.FIXTURES).append(ClueLogs.FIXTURES.clueTrieFrom(9)).seal(),
        2,
        FaultKind.PARAMETERS_INVALID);
  }

  @Test
  void catchesParametersThatNoOwnerSigned() {
    Submission forged =
        WITHOUT.govern(
            Kind.PARAMETERS,
            new Extension.Parameters(5, Set.of(Feature.CLUE_TRIE)),
            Fixtures.CAROL);
    Logs.assertFault(
        ReferenceLedger.found(WITHOUT)
            .append(WITHOUT.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()))
            .append(forged)
            .seal(),
        3,
        FaultKind.ROLE_NOT_ALLOWED);
  }

  /// A service does not know what was used: that takes the index, which is behind.
  @Test
  void countsTheDeletionOfAClueThatWasNeverUsedOrIsDeleted() {
    Fixtures fixtures = ClueLogs.FIXTURES;
    AuditReport report =
        ClueLogs.audit(
            ClueLogs.sample()
                .append(fixtures.clueDelete(30, "never used"))
                .append(fixtures.clueDelete(31, "c"))
                .seal());
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.counts().clues()).isEqualTo(ClueLogs.CLUES + 1);
    assertThat(report.counts().clueDeletions()).isEqualTo(4);
  }

  @Test
  void catchesAClueTextThatIsNotTheOneOfTheHeader() {
    for (String other : List.of("b", "größe")) {
      SignedRequest request = withClueText("a", other);
      Submission submission = ClueLogs.FIXTURES.submission(request, Fixtures.ALICE);
      ReferenceLedger log = ReferenceLedger.found(ClueLogs.FIXTURES).append(submission).seal();
      AuditFault fault = ClueLogs.assertFault(log, 2, FaultKind.BODY_MISMATCH);
      assertThat(fault.detail()).contains(ClueLogs.clueId(other).hex());
    }
  }

  /// A request that names one clue in its header and another in its body.
  private static SignedRequest withClueText(String named, String told) {
    RequestDraft draft = ClueLogs.FIXTURES.draft(1);
    Bytes body = new Body(draft.payload(), draft.contentType(), List.of(told), List.of()).encode();
    RequestHeader header =
        new RequestHeader(
            ClueLogs.FIXTURES.strand(),
            Kind.APPEND,
            1,
            draft.clientTimeMs(),
            draft.expiresMs(),
            Commitments.body(draft.salt(), body),
            body.size(),
            List.of(ClueLogs.clueId(named)),
            null,
            0,
            Extension.None.INSTANCE);
    return new SignedRequest(header.encode(), draft.salt(), body);
  }
}
