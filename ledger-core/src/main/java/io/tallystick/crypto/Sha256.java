package io.tallystick.crypto;

import io.tallystick.model.Digest;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/// SHA-256 by the JDK, whose intrinsic is the fastest here.
public final class Sha256 {
  // Looking an algorithm up costs as much as hashing a journal; cloning one does not.
  private static final MessageDigest PROTOTYPE = lookUp();
  private static final ThreadLocal<Own> OWN = ThreadLocal.withInitial(Own::new);

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
    Own own = OWN.get();
    for (byte[] part : parts) {
      own.digest.update(part);
    }
    return own.finish();
  }

  /// The hash of one byte string.
  public static Digest hash(byte[] message) {
    return hash(message, 0, message.length);
  }

  /// The hash of a part of an array.
  public static Digest hash(byte[] array, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, array.length);
    Own own = OWN.get();
    own.digest.update(array, offset, length);
    return own.finish();
  }

  private static final class Own {
    private final MessageDigest digest = newDigest();
    private final byte[] result = new byte[Digest.BYTES];

    private Digest finish() {
      Sha256.finish(digest, result, 0);
      return Digest.of(result, 0);
    }
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
