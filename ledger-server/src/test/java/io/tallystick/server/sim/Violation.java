package io.tallystick.server.sim;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The shard under simulation did what it must never do.
public final class Violation extends AssertionError {
  private static final long serialVersionUID = 1;

  public Violation(String message) {
    super(message);
  }

  public Violation(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of its own
  public static void unless(boolean holds, String message, @Nullable Object... values) {
    if (!holds) {
      throw new Violation(String.format(Locale.ROOT, message, values));
    }
  }
}
