package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AnchoredTime;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.TimeOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.time.StampedLog;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.time.ListedTokens;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Goal: a log's tokens are judged by the authorities that the auditor lists, and a token that is
/// refused is named with its journal and the rule that it breaks. Method: a log with real tokens of
/// which the last is wrong in one way.
class StampedAuditTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("audited");
  private static final TestTimeAuthority STRANGER = new TestTimeAuthority("stranger");
  private static final AuditOptions OPTIONS =
      Logs.OPTIONS.withTime(
          TimeOptions.by(new ListedTokens(new Rfc3161Tokens(), AUTHORITY.trusted())));
  private static final int LAST = 6;

  /// At + 10 ms time about genesis (2), at + 20 ms Alice (4).
  private static StampedLog stamped() {
    StampedLog log = new StampedLog(ReferenceLedger.found(FIXTURES));
    log.anchor(AUTHORITY).log().blocks(FIXTURES.single(1));
    return log;
  }

  private static void refused(StampedLog log, String rule) {
    AuditFault fault = Logs.audit(MemoryLog.of(log.log()), OPTIONS).firstFault().orElseThrow();
    assertThat(fault.kind()).isEqualTo(FaultKind.TIME_TOKEN_REFUSED);
    assertThat(fault.jsn()).isEqualTo(LAST);
    assertThat(fault.detail()).startsWith(rule + ": ");
  }

  @Test
  void countsTokensAndSaysBetweenWhichTimesTheyAre() {
    StampedLog log = stamped().anchor(AUTHORITY);
    AuditReport report = Logs.audit(MemoryLog.of(log.log()), OPTIONS);
    assertThat(report.firstFault()).isEmpty();
    long first = Fixtures.TIME_MS + 5;
    assertThat(report.time())
        .isEqualTo(new AnchoredTime(true, 2, 0, first, first + 20, 2, 20, 20, 0, 1, 5, List.of()));
    assertThat(AuditText.of(report))
        .contains("2 tokens of trusted authorities, from 2026-09-21T14:13:20.005Z to 2026-")
        .contains("2 journals within 20 ms of a time, the median 20 ms")
        .contains("1 journal at the end not covered by a token, over 5 ms");
  }

  @Test
  void judgesNothingWithoutAnAuthority() {
    AuditReport report = Logs.audit(MemoryLog.of(stamped().log()));
    assertThat(AuditText.of(report)).contains("1 time journal NOT JUDGED: no authority was given");
    assertThat(report.time().authorities()).isFalse();
  }

  @Test
  void namesWhyATokenIsRefused() {
    StampedLog another = stamped();
    refused(
        another.anchor(
            another.token(
                AUTHORITY, Sha256.hash(Bytes.utf8("another").toArray()), UnaryOperator.identity())),
        "WRONG_IMPRINT");
    refused(stamped().anchor(STRANGER), "NO_CHAIN");
    StampedLog whole = stamped();
    refused(
        whole.anchor(
            whole.token(
                STRANGER,
                recipe ->
                    recipe.with(
                        List.of(
                            STRANGER.certificate(), STRANGER.intermediate(), STRANGER.root())))),
        "UNTRUSTED");
    StampedLog alone = stamped();
    refused(
        alone.anchor(
            alone.token(AUTHORITY, recipe -> recipe.with(List.of(AUTHORITY.certificate())))),
        "NO_CHAIN");
    StampedLog bent = stamped();
    byte[] token = bent.token(AUTHORITY, UnaryOperator.identity()).toArray();
    token[token.length - 1] ^= 1;
    refused(bent.anchor(Bytes.wrap(token)), "BAD_SIGNATURE");
    refused(stamped().anchor(Bytes.wrap(new byte[] {0x30})), "MALFORMED");
  }
}
