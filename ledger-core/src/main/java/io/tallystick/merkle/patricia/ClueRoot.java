package io.tallystick.merkle.patricia;

import io.tallystick.model.Digest;

/// The root of a strand's clue trie. Accepted only from a seal under a trusted head.
public record ClueRoot(Digest digest) {
  /// The root of the trie without clues: keccak256(0x80).
  public static final ClueRoot EMPTY =
      new ClueRoot(
          Digest.fromHex("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"));

  @Override
  public String toString() {
    return digest.hex();
  }
}
