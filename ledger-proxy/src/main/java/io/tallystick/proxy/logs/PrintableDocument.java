package io.tallystick.proxy.logs;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.tallystick.model.Printable;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.logging.logback.StructuredLogEncoder;

/// A log of JSON documents, one a line: what controls a terminal, hides or reorders text stands in
/// them as an escape.
public final class PrintableDocument extends StructuredLogEncoder {
  /// For logback, which makes it by name.
  public PrintableDocument() {}

  @Override
  public byte[] encode(ILoggingEvent event) {
    String document = new String(super.encode(event), StandardCharsets.UTF_8);
    return Printable.json(document).getBytes(StandardCharsets.UTF_8);
  }
}
