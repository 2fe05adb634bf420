package io.tallystick.model;

import java.util.Locale;

/// A text that is to be hashed or signed has half a surrogate pair: UTF-8 cannot hold it, so nobody
/// could check what was meant.
public final class UnpairedSurrogateException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final int index;

  /// @param index of the lone half, in UTF-16 units
  public UnpairedSurrogateException(int index) {
    super(
        String.format(
            Locale.ROOT, "text with half a surrogate pair at %d, which UTF-8 cannot hold", index));
    this.index = index;
  }

  public int index() {
    return index;
  }
}
