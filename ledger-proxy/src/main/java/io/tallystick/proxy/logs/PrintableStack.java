package io.tallystick.proxy.logs;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import io.tallystick.model.Printable;
import java.util.regex.Pattern;

/// The stack behind an entry in a log of lines. A failure's message may hold a caller's text: it
/// stays on the line of its failure.
public final class PrintableStack extends ThrowableProxyConverter {
  private static final Pattern LINE_END = Pattern.compile("\\R");
  private static final Pattern OF_STACK =
      Pattern.compile("\t+(at |\\.\\.\\. |Suppressed: |Caused by: ).*|(Caused|Wrapped) by: .*");

  /// For logback, which makes it by name.
  public PrintableStack() {}

  @Override
  protected String throwableProxyToString(IThrowableProxy failure) {
    StringBuilder stack = new StringBuilder();
    String[] lines = LINE_END.split(super.throwableProxyToString(failure), 0);
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i];
      int margin = 0;
      if (OF_STACK.matcher(line).matches()) {
        margin = line.length() - line.stripLeading().length();
        stack.append('\n').repeat('\t', margin);
      } else if (i > 0) {
        stack.append(' ');
      }
      stack.append(Printable.of(line.substring(margin)));
    }
    return stack.append('\n').toString();
  }
}
