package io.tallystick.proxy.logs;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.tallystick.model.Printable;
import java.util.Objects;

/// The message of an entry in a log of lines: what a caller put into it can neither begin another
/// entry nor control the terminal that shows it.
public final class PrintableMessage extends ClassicConverter {
  /// For logback, which makes it by name.
  public PrintableMessage() {}

  @Override
  public String convert(ILoggingEvent event) {
    return Printable.of(Objects.requireNonNullElse(event.getFormattedMessage(), ""));
  }
}
