package io.tallystick.crypto.provider;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/// Where unpredictable bytes come from.
public final class RandomSource {
  private static final String AWS_LC = "LibCryptoRng";

  private RandomSource() {}

  /// AWS-LC's generator where its native library loads, which is faster for many bytes; else the
  /// JDK's own. Thread-safe.
  public static SecureRandom best() {
    try {
      return SecureRandom.getInstance(AWS_LC, AmazonCorrettoCryptoProvider.INSTANCE);
    } catch (NoSuchAlgorithmException | RuntimeException | LinkageError ignored) {
      return new SecureRandom();
    }
  }
}
