package io.tallystick.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.ContextInitializer;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Goal: no library writes into a command's answer. Method: logging as Logback finds it at the
/// start of a command, with both streams exchanged.
class ErrorLogTest {
  @Test
  void warningsGoToStandardError() throws Exception {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    System.setOut(new PrintStream(answer, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
    try {
      LoggerContext logging = new LoggerContext();
      new ContextInitializer(logging).autoConfig();
      logging.setMDCAdapter(new LogbackMDCAdapter());
      logging.getLogger("io.netty.Library").warn("no hardware\u001b[2J address");
      logging.getLogger("io.netty.Library").info("found {}", 7);
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    assertThat(answer.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(errors.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines("tally: WARN Library: no hardware\uFFFD[2J address");
  }
}
