package io.tallystick.storage.replicated;

import java.io.IOException;
import java.util.Locale;

/// Changes that were not made, none of them, because one could not be.
public final class ChangeRefusedException extends IOException {
  private static final long serialVersionUID = 1;

  /// Why a change is refused.
  public enum Reason {
    /// The path has another version.
    VERSION,
    /// The path to be created is there.
    EXISTS,
    /// The path, or the parent of the path to be created, is not there.
    ABSENT,
    /// The path to be deleted has children.
    CHILDREN
  }

  private final int index;
  private final Reason reason;

  /// @param index of the change among those that were to be made together
  public ChangeRefusedException(int index, Reason reason, String path) {
    super(String.format(Locale.ROOT, "change %d is refused: %s %s", index, path, reason));
    this.index = index;
    this.reason = reason;
  }

  public int index() {
    return index;
  }

  public Reason reason() {
    return reason;
  }
}
