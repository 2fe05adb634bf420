package io.tallystick.model;

/// The id of a ledger, which a client pins: SHA-256("tallystick/ledger/1\0" ‖ GenesisParams).
/// Source: `docs/formats/ledger.md`.
public record LedgerId(Digest digest) implements Comparable<LedgerId> {
  public static LedgerId fromHex(String hex) {
    return new LedgerId(Digest.fromHex(hex));
  }

  public String hex() {
    return digest.hex();
  }

  @Override
  public int compareTo(LedgerId other) {
    return digest.compareTo(other.digest);
  }

  @Override
  public boolean equals(Object other) {
    return this == other || (other instanceof LedgerId that && digest.equals(that.digest));
  }

  @Override
  public int hashCode() {
    return digest.hashCode();
  }

  @Override
  public String toString() {
    return hex();
  }
}
