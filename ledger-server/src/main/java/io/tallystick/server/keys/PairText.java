package io.tallystick.server.keys;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A pair of private keys as text, for a store of secrets that is no folder of this machine.
///
/// @param note PKCS#8 in PEM, as `note.pem` holds it
/// @param receipt the same of `receipt.pem`
public record PairText(String note, String receipt) {
  /// A fresh pair, of which nothing else is kept.
  public static PairText generate(Signatures signatures) {
    return new PairText(
        text(signatures.generate(SignatureAlgorithm.ED25519)),
        text(signatures.generate(SignatureAlgorithm.ED25519)));
  }

  private static String text(ExportableSigner signer) {
    byte[] pem = KeyFolder.pem(signer);
    try {
      return new String(pem, StandardCharsets.US_ASCII);
    } finally {
      Arrays.fill(pem, (byte) 0);
    }
  }

  /// Without the keys.
  @Override
  public String toString() {
    return "a pair of private keys";
  }
}
