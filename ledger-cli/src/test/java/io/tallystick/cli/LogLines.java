package io.tallystick.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/// What a service in this process logs from now on.
final class LogLines implements AutoCloseable {
  private final Logger logger = (Logger) LoggerFactory.getLogger("io.tallystick");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  LogLines() {
    lines.start();
    logger.addAppender(lines);
  }

  List<String> errors() {
    return List.copyOf(lines.list).stream()
        .filter(event -> event.getLevel() == Level.ERROR)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Override
  public void close() {
    logger.detachAppender(lines);
    lines.stop();
  }
}
