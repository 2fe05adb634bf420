package io.tallystick.cli.terminal;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.tallystick.model.Printable;
import java.util.Locale;

/// Logging of a command: warnings of libraries go to standard error, as standard output is the
/// command's answer. Logback finds it by `META-INF/services`; `tally up` sets its own logging
/// later.
public final class ErrorLog extends ContextAwareBase implements Configurator {
  @Override
  public ExecutionStatus configure(LoggerContext logging) {
    Line line = new Line();
    line.setContext(logging);
    line.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setContext(logging);
    encoder.setLayout(line);
    encoder.start();
    ConsoleAppender<ILoggingEvent> errors = new ConsoleAppender<>();
    errors.setContext(logging);
    errors.setTarget("System.err");
    errors.setEncoder(encoder);
    errors.start();
    Logger root = logging.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(errors);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /// Cheaper at the start than a pattern.
  private static final class Line extends LayoutBase<ILoggingEvent> {
    @Override
    public String doLayout(ILoggingEvent event) {
      String name = event.getLoggerName();
      return String.format(
          Locale.ROOT,
          "tally: %s %s: %s%n",
          event.getLevel(),
          name.substring(name.lastIndexOf('.') + 1),
          Printable.of(event.getFormattedMessage()));
    }
  }
}
