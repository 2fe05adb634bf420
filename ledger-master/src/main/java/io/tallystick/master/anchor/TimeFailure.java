package io.tallystick.master.anchor;

/// The reason why a source gave no time.
///
/// @param from its name: the host of an authority, or `T-Ledger` and an id
/// @param code such as `slow` or `wrong_imprint`
public record TimeFailure(String from, String code) {
  @Override
  public String toString() {
    return from + ": " + code;
  }
}
