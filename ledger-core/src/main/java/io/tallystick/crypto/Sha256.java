package io.tallystick.crypto;

import io.tallystick.model.Digest;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// SHA-256 by the JDK, whose intrinsic is the fastest here.
public final class Sha256 {
  private Sha256() {}

  /// A fresh hasher, owned by the caller; not thread-safe.
  public static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  public static Digest hash(byte[]... parts) {
    MessageDigest digest = newDigest();
    for (byte[] part : parts) {
      digest.update(part);
    }
    return Digest.of(digest.digest());
  }

  /// Finishes `digest` into 32 bytes of `target` without allocating.
  public static void finish(MessageDigest digest, byte[] target, int offset) {
    try {
      digest.digest(target, offset, Digest.BYTES);
    } catch (DigestException e) {
      throw new IllegalArgumentException("no room for a digest at " + offset, e);
    }
  }
}
