package io.tallystick.node;

/// A token that a member signed, as the call brought it: unverified. Source:
/// `docs/formats/token.md`.
public record MemberToken(String text) {
  /// Without the token: it would still open doors to whoever reads a log.
  @Override
  public String toString() {
    return "MemberToken[given]";
  }
}
