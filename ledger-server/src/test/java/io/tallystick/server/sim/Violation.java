package io.tallystick.server.sim;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The shard under simulation did what it must never do.
final class Violation extends AssertionError {
  private static final long serialVersionUID = 1;

  Violation(String message) {
    super(message);
  }

  Violation(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of its own
  static void unless(boolean holds, String message, @Nullable Object... values) {
    if (!holds) {
      throw new Violation(String.format(Locale.ROOT, message, values));
    }
  }
}
