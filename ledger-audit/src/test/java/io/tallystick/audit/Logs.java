package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.source.LogSource;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.io.IOException;

/// The log the tests tamper with, and how they audit it.
///
/// | jsn | what |
/// | --- | --- |
/// | 0, 1 | genesis, seal |
/// | 2 | Alice |
/// | 3 to 6, 7 | a batch by Alice, seal |
/// | 8, 9 | Carol becomes a member, seal |
/// | 10, 11, 12 | Carol; Alice and Bob together; seal |
/// | 13, 14 | Carol is revoked, seal |
/// | 15, 16 | Bob, seal |
public final class Logs {
  public static final Fixtures FIXTURES = Fixtures.ledger();
  public static final LedgerId LEDGER = FIXTURES.params().ledgerId();
  public static final int SIZE = 17;
  public static final Auditor AUDITOR = new Auditor(SignatureProviders.best());
  public static final AuditOptions OPTIONS = AuditOptions.defaults().withThreads(2);

  private static final ReferenceLedger SAMPLE = build();

  private Logs() {}

  /// A copy of its own for every test.
  public static ReferenceLedger sample() {
    return SAMPLE.copy();
  }

  private static ReferenceLedger build() {
    return ReferenceLedger.found(FIXTURES)
        .append(FIXTURES.single(1))
        .append(FIXTURES.batch(10, 4))
        .seal()
        .append(FIXTURES.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()))
        .seal()
        .append(byCarol(20))
        .append(FIXTURES.submission(FIXTURES.request(21), Fixtures.ALICE, Fixtures.BOB))
        .seal()
        .append(FIXTURES.memberRevoke(Fixtures.CAROL.publicKey().kid()))
        .seal()
        .append(FIXTURES.submission(FIXTURES.request(22), Fixtures.BOB))
        .seal();
  }

  static Submission byCarol(int number) {
    return FIXTURES.submission(FIXTURES.request(number), Fixtures.CAROL);
  }

  public static AuditReport audit(ReferenceLedger ledger) {
    return audit(MemoryLog.of(ledger));
  }

  public static AuditReport audit(LogSource log) {
    return audit(log, OPTIONS);
  }

  public static AuditReport audit(LogSource log, AuditOptions options) {
    try {
      return AUDITOR.audit(LEDGER, log, options);
    } catch (IOException | AuditLimitException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public static void assertFault(ReferenceLedger ledger, long jsn, FaultKind kind) {
    assertFault(MemoryLog.of(ledger), jsn, kind);
  }

  public static void assertFault(LogSource log, long jsn, FaultKind kind) {
    AuditReport report = audit(log);
    assertThat(report.firstFault()).isPresent();
    AuditFault fault = report.firstFault().orElseThrow();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
    assertThat(fault.jsn()).as(fault.toString()).isEqualTo(jsn);
  }
}
