package io.tallystick.model;

import java.util.Optional;

/// The role of a member, which says what it may do. The codes are hashed; they are never reused.
public enum Role {
  OWNER(1),
  REGULATOR(2),
  NORMAL(3),
  READ_ONLY(4),
  VERIFY_ONLY(5);

  private final int code;

  Role(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /// Whether a member of this role may sign an append (kinds below 16). Kinds 16 to 18 need an
  /// owner's signature; co-signers of theirs need this.
  public boolean mayAppend() {
    return this == OWNER || this == REGULATOR || this == NORMAL;
  }

  /// Whether a member of this role may read bodies. Every role reads all evidence.
  public boolean mayReadBodies() {
    return this != VERIFY_ONLY;
  }

  public static Optional<Role> ofCode(long code) {
    for (Role role : values()) {
      if (role.code == code) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}
