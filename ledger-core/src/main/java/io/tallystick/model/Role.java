package io.tallystick.model;

import java.util.Optional;

/// What a member may do. The codes are hashed; they are never reused.
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

  public static Optional<Role> ofCode(long code) {
    for (Role role : values()) {
      if (role.code == code) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}
