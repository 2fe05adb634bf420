package io.tallystick.proxy.logs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import io.tallystick.model.Printable;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.StandardEnvironment;

/// Goal: a caller's text in the log begins no entry of its own and controls no terminal. Method:
/// the service's own configurations, an entry with such text in message, argument and failure.
class PrintableLogTest {
  private static final String HOSTILE =
      "a\u001b[2A\u009b\u202e\u200b\ufeff\u2028\u0007\r\n2026-11-27T00:00:00.000Z ERROR Shard: lost";

  private static String written(String format) throws Exception {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    context.putObject("org.springframework.core.env.Environment", new StandardEnvironment());
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    URL file =
        PrintableLogTest.class.getResource("/io/tallystick/proxy/logback-" + format + ".xml");
    configurator.doConfigure(Objects.requireNonNull(file));
    ConsoleAppender<?> appender =
        (ConsoleAppender<?>) context.getLogger("ROOT").getAppender("STDERR");
    @SuppressWarnings("unchecked") // logback-classic has no other events
    Encoder<ILoggingEvent> encoder = (Encoder<ILoggingEvent>) appender.getEncoder();
    Exception failure =
        new IllegalStateException(HOSTILE, new IllegalArgumentException("why: " + HOSTILE));
    LoggingEvent event =
        new LoggingEvent(
            "here",
            context.getLogger("io.tallystick.Test"),
            ch.qos.logback.classic.Level.WARN,
            "the caller said {}",
            failure,
            new Object[] {HOSTILE});
    return new String(encoder.encode(event), StandardCharsets.UTF_8);
  }

  private static void isPlain(String log) {
    assertThat(Printable.lines(log.replace("\t", ""))).isEqualTo(log.replace("\t", ""));
  }

  @Test
  void linesAreOfEntriesAndStacksAlone() throws Exception {
    String log = written("text");
    isPlain(log);
    assertThat(log)
        .contains("WARN  Test: the caller said a\ufffd[2A", "lost", "\n\tat io.tallystick");
    assertThat(Arrays.stream(log.split("\n")).skip(1))
        .allMatch(line -> line.startsWith("\t") || line.matches("(java\\.|Caused by: ).*"));
  }

  @Test
  void aDocumentIsOneLine() throws Exception {
    String log = written("json");
    isPlain(log);
    assertThat(log).hasLineCount(1).contains("\\u001B[2A\\u009B\\u202e\\u200b\\ufeff");
  }
}
