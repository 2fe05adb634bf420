package io.tallystick.audit;

import io.tallystick.model.MalformedException;

/// What the source of a log has of an entry's salt and body. The codes are those of
/// `docs/formats/log-copy.md`.
public enum BodyState {
  /// Genesis and seals have none.
  NONE(1),
  PRESENT(2),
  ERASED(3),
  /// The stored bytes fail their checksum.
  DAMAGED(4);

  private final int code;

  BodyState(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  static BodyState ofCode(int code) throws MalformedException {
    return switch (code) {
      case 1 -> NONE;
      case 2 -> PRESENT;
      case 3 -> ERASED;
      case 4 -> DAMAGED;
      default -> throw new MalformedException("body state " + code + ", want 1 to 4");
    };
  }
}
