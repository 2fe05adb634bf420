package io.tallystick.crypto;

import io.tallystick.model.Digest;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// SHA-256 by the JDK, whose intrinsic is the fastest here.
public final class Sha256 {
  // Looking an algorithm up costs as much as hashing a journal; cloning one does not.
  private static final MessageDigest PROTOTYPE = lookUp();
  private static final ThreadLocal<MessageDigest> OWN = ThreadLocal.withInitial(Sha256::newDigest);

  private Sha256() {}

  private static MessageDigest lookUp() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /// A fresh hasher, owned by the caller; not thread-safe.
  public static MessageDigest newDigest() {
    try {
      return (MessageDigest) PROTOTYPE.clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError("the JDK's SHA-256 can be cloned", e);
    }
  }

  public static Digest hash(byte[]... parts) {
    MessageDigest digest = OWN.get();
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
