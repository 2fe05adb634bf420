package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.audit.source.LogSource;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Feature;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Digest;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Logs with clues, and how the tests audit them.
///
/// | jsn | height | what |
/// | --- | --- | --- |
/// | 0, 1 | 0 | genesis with the clue trie, seal |
/// | 2, 3, 4, 5 | 1 | "a" and "b"; "a"; without a clue; seal |
/// | 6 to 9, 10 | 2 | a batch: "b", "größe", "a" and "c", "c"; seal |
/// | 11, 12 | 3 | 64 clues, seal |
/// | 13, 14, 15 | 4 | "a" is deleted; "b"; seal |
/// | 16, 17 | 5 | without a clue, seal |
/// | 18, 19, 20 | 6 | "a" again; "c" is deleted; seal |
public final class ClueLogs {
  public static final Fixtures FIXTURES = Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE));
  static final int SIZE = 21;
  static final List<Integer> SEALS = List.of(1, 5, 10, 12, 15, 17, 20);
  static final int CLUES = 4 + 64;
  static final int ENTRIES = 2 + 1 + 5 + 64 + 2 + 2;

  private static final ReferenceLedger SAMPLE = build();

  private ClueLogs() {}

  static ReferenceLedger sample() {
    return SAMPLE.copy();
  }

  private static ReferenceLedger build() {
    return ReferenceLedger.found(FIXTURES)
        .append(FIXTURES.clued(1, "a", "b"))
        .append(FIXTURES.clued(2, "a"))
        .append(FIXTURES.single(3))
        .seal()
        .append(batch())
        .seal()
        .append(FIXTURES.clued(8, many()))
        .seal()
        .append(FIXTURES.clueDelete(9, "a"))
        .append(FIXTURES.clued(10, "b"))
        .seal()
        .append(FIXTURES.single(11))
        .seal()
        .append(FIXTURES.clued(12, "a"))
        .append(FIXTURES.clueDelete(13, "c"))
        .seal();
  }

  private static Submission batch() {
    List<SignedRequest> requests =
        List.of(request(4, "b"), request(5, "größe"), request(6, "a", "c"), request(7, "c"));
    return FIXTURES.submission(requests, Fixtures.ALICE);
  }

  private static SignedRequest request(int number, String... clues) {
    return FIXTURES.draft(number).withClues(List.of(clues)).build();
  }

  private static String[] many() {
    List<String> clues = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      clues.add("clue " + i);
    }
    return clues.toArray(String[]::new);
  }

  static Digest clueId(String clue) {
    return Commitments.clueId(FIXTURES.strand().ledger(), clue);
  }

  /// The right seal for the open block of `ledger`, but with another clue root.
  static SealLeaf seal(ReferenceLedger ledger, Digest clueRoot) {
    SealLeaf right = ledger.nextSeal();
    return new SealLeaf(
        right.jsn(),
        right.timeMs(),
        right.height(),
        right.previous(),
        right.firstJsn(),
        right.journalRoot(),
        clueRoot,
        right.stateRoot());
  }

  static AuditReport audit(ReferenceLedger ledger) {
    return audit(MemoryLog.of(ledger), Logs.OPTIONS);
  }

  static AuditReport audit(LogSource log, AuditOptions options) {
    try {
      return Logs.AUDITOR.audit(FIXTURES.strand(), log, options);
    } catch (IOException | AuditLimitException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /// With next to no memory for clues.
  static AuditOptions spilling(Path folder) {
    return Logs.OPTIONS.withMemory(new ReplayMemory(0, folder));
  }

  static AuditFault assertFault(ReferenceLedger ledger, long jsn, FaultKind kind) {
    AuditReport report = audit(ledger);
    assertThat(report.firstFault()).isPresent();
    AuditFault fault = report.firstFault().orElseThrow();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
    assertThat(fault.jsn()).as(fault.toString()).isEqualTo(jsn);
    return fault;
  }
}
