package io.tallystick.misbehaviour;

import io.tallystick.model.MalformedException;

/// A misdeed that a service is charged with. The codes are in files and never reused.
public enum Claim {
  /// A journal is dated outside the bounds of a token that the log itself holds.
  MISDATED(1),
  /// The attestation whose hash is in a leaf does not verify.
  FALSE_ATTESTATION(2),
  /// A seal states another root than the head that covers it.
  FALSE_SEAL(3),
  /// The clue trie under a seal leaves out a journal that names the clue.
  OMITTED_JOURNAL(4);

  private final int code;

  Claim(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  static Claim ofCode(long code) throws MalformedException {
    for (Claim claim : values()) {
      if (claim.code == code) {
        return claim;
      }
    }
    throw new MalformedException("claim " + code + " is not defined");
  }
}
