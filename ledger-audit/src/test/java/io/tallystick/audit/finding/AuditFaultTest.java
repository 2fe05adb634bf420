package io.tallystick.audit.finding;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Goal: a fault that quotes a stranger cannot write the auditor's report. Method: words that clear
/// the screen and claim the opposite, and words without an end.
class AuditFaultTest {
  private static String detail(String words) {
    return new AuditFault(5, FaultKind.LOG_DAMAGED, words).detail();
  }

  @Test
  void whatCouldSteerATerminalIsReplaced() {
    assertThat(detail("\u001b[2J\u001b[HAUDIT PASSED\nsize 7\r"))
        .isEqualTo("\uFFFD[2J\uFFFD[HAUDIT PASSED\uFFFDsize 7\uFFFD");
    assertThat(detail("\u202Ereversed\u2028next")).isEqualTo("\uFFFDreversed\uFFFDnext");
    assertThat(detail("bodyCommit is 00ff, want \u00e9"))
        .isEqualTo("bodyCommit is 00ff, want \u00e9");
  }

  @Test
  void itIsCutToAThousandCharacters() {
    assertThat(detail("x".repeat(1_000))).hasSize(1_000);
    assertThat(detail("x".repeat(70_000))).hasSize(1_000);
  }
}
