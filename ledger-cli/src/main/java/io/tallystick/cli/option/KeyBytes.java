package io.tallystick.cli.option;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;

/// A key of a state, as a command line gives it.
public final class KeyBytes {
  private KeyBytes() {}

  /// A key that a state may hold.
  ///
  /// @param hex the text is hex digits, not the key itself
  public static Bytes ofState(String text, boolean hex) throws UsageException {
    Bytes bytes = of(text, hex);
    if (bytes.isEmpty() || bytes.size() > Limits.KEY_BYTES_MAX) {
      throw new UsageException(
          "KEY has " + bytes.size() + " bytes, want 1 to " + Limits.KEY_BYTES_MAX);
    }
    return bytes;
  }

  /// @param hex the text is hex digits, not the key itself
  public static Bytes of(String text, boolean hex) throws UsageException {
    try {
      return hex ? Bytes.fromHex(text) : Bytes.utf8(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException("\"" + text + "\" is not hex: two digits for each byte");
    }
  }
}
