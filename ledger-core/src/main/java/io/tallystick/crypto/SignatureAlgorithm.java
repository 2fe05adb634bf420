package io.tallystick.crypto;

import java.util.Optional;

/// The two algorithms of the accept set, by COSE number. Source: `docs/formats/key.md`.
public enum SignatureAlgorithm {
  /// Ed25519 only: 64 bytes, S < L, A and R canonical, neither of small order, cofactorless.
  ED25519(-8, 44),
  /// ECDSA P-256 with SHA-256 as r ‖ s, 64 bytes, both s accepted.
  ES256(-7, 91);

  private final int coseAlg;
  private final int spkiBytes;

  SignatureAlgorithm(int coseAlg, int spkiBytes) {
    this.coseAlg = coseAlg;
    this.spkiBytes = spkiBytes;
  }

  public int coseAlg() {
    return coseAlg;
  }

  public int spkiBytes() {
    return spkiBytes;
  }

  public static Optional<SignatureAlgorithm> ofCoseAlg(long alg) {
    for (SignatureAlgorithm algorithm : values()) {
      if (algorithm.coseAlg == alg) {
        return Optional.of(algorithm);
      }
    }
    return Optional.empty();
  }
}
