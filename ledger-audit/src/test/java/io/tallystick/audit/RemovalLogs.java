package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.source.LogSource;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;

/// Logs with removals, and how the tests audit them.
///
/// | jsn | what |
/// | --- | --- |
/// | 0, 1 | genesis with the clue trie, seal |
/// | 2, 3 | Carol becomes a regulator, seal |
/// | 4, 5, 6, 7 | "a"; "a" and "b"; without a clue; seal |
/// | 8, 9, 10 | "b" is deleted; without a clue; seal |
public final class RemovalLogs {
  public static final Fixtures FIXTURES = Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE));
  static final int SIZE = 11;
  static final long DELAY_MS = 2_592_000_000L;

  private RemovalLogs() {}

  public static ReferenceLedger sample() {
    return sample(FIXTURES);
  }

  public static ReferenceLedger sample(Fixtures fixtures) {
    return ReferenceLedger.found(fixtures)
        .append(fixtures.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey()))
        .seal()
        .append(fixtures.clued(1, "a"))
        .append(fixtures.clued(2, "a", "b"))
        .append(fixtures.single(3))
        .seal()
        .append(fixtures.clueDelete(4, "b"))
        .append(fixtures.single(5))
        .seal();
  }

  static JournalRef ref(ReferenceLedger log, long jsn) {
    return new JournalRef(new Jsn(jsn), TreeHasher.leafHash(log.entries().get((int) jsn).leaf()));
  }

  public static ErasureTarget journals(ReferenceLedger log, long... jsns) {
    return new ErasureTarget.Journals(LongStream.of(jsns).mapToObj(jsn -> ref(log, jsn)).toList());
  }

  public static ErasureTarget clue(String clue, long first, long last) {
    return new ErasureTarget.OfClue(clueId(clue), new Jsn(first), new Jsn(last));
  }

  public static Digest clueId(String clue) {
    return Commitments.clueId(FIXTURES.strand().ledger(), clue);
  }

  /// By Alice, an owner, and Carol.
  public static Submission occult(ReferenceLedger log, ErasureTarget target) {
    return occult(log, target, Fixtures.TIME_MS, Fixtures.ALICE, Fixtures.CAROL);
  }

  public static Submission occult(
      ReferenceLedger log, ErasureTarget target, long timeMs, Signer... signers) {
    Extension.Occult occult = new Extension.Occult(target, "by law");
    return log.fixtures()
        .submission(
            RequestDraft.govern(
                    log.strand(), Kind.OCCULT, occult, timeMs, Fixtures.bytes32(occult.toString()))
                .build(),
            signers);
  }

  static Submission grant(Fixtures fixtures, Role role, Signer member) {
    return fixtures.govern(
        Kind.GRANT,
        new Extension.Grant(
            role,
            member.publicKey(),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            Optional.empty()),
        Fixtures.ALICE);
  }

  /// The same log without these bodies.
  public static MemoryLog erased(ReferenceLedger log, long... jsns) {
    MemoryLog erased = MemoryLog.of(log);
    for (long jsn : jsns) {
      erased = erased.with((int) jsn, entry -> MemoryLog.bodiless(entry, BodyState.ERASED));
    }
    return erased;
  }

  static AuditReport audit(LogSource log, AuditOptions options) {
    try {
      return Logs.AUDITOR.audit(strand(log), log, options);
    } catch (IOException | AuditLimitException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static StrandId strand(LogSource log) throws IOException {
    try (LogSource.LogReader reader = log.open()) {
      return reader.strand();
    } catch (LogFormatException e) {
      throw new AssertionError(e);
    }
  }

  public static AuditReport passes(LogSource log) {
    AuditReport report = audit(log, Logs.OPTIONS);
    assertThat(report.firstFault()).isEmpty();
    return report;
  }

  static AuditFault assertFault(LogSource log, long jsn, FaultKind kind) {
    AuditFault fault = audit(log, Logs.OPTIONS).firstFault().orElseThrow();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
    assertThat(fault.jsn()).as(fault.toString()).isEqualTo(jsn);
    return fault;
  }

  /// The occult alone in a block of its own.
  static AuditFault assertFault(ReferenceLedger log, Submission occult, FaultKind kind) {
    long jsn = log.size();
    return assertFault(MemoryLog.of(log.copy().append(occult).seal()), jsn, kind);
  }
}
