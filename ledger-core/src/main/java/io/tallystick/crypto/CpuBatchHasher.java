package io.tallystick.crypto;

import io.tallystick.model.Digest;
import java.security.MessageDigest;
import java.util.Objects;

/// SHA-256 on the calling thread, one message after the other, by the JDK's intrinsic: the default
/// {@link BatchHasher} and the oracle of any other. Allocation-free per message. Thread-safe: each
/// thread has its own digest.
public final class CpuBatchHasher implements BatchHasher {
  private static final byte LEAF_PREFIX = 0;
  private static final byte NODE_PREFIX = 1;
  private static final ThreadLocal<MessageDigest> DIGEST =
      ThreadLocal.withInitial(Sha256::newDigest);

  public CpuBatchHasher() {}

  @Override
  public void sha256(
      byte[] messages, int offset, int stride, int count, byte[] digests, int digestOffset) {
    checkRange(offset, stride, count, messages);
    checkRange(digestOffset, Digest.BYTES, count, digests);
    MessageDigest digest = DIGEST.get();
    for (int i = 0; i < count; i++) {
      digest.update(messages, offset + i * stride, stride);
      Sha256.finish(digest, digests, digestOffset + i * Digest.BYTES);
    }
  }

  @Override
  public void sha256(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    checkOffsets(messages, offsets, count);
    checkRange(digestOffset, Digest.BYTES, count, digests);
    MessageDigest digest = DIGEST.get();
    for (int i = 0; i < count; i++) {
      digest.update(messages, offsets[i], offsets[i + 1] - offsets[i]);
      Sha256.finish(digest, digests, digestOffset + i * Digest.BYTES);
    }
  }

  @Override
  public void leaves(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    checkOffsets(messages, offsets, count);
    checkRange(digestOffset, Digest.BYTES, count, digests);
    MessageDigest digest = DIGEST.get();
    for (int i = 0; i < count; i++) {
      digest.update(LEAF_PREFIX);
      digest.update(messages, offsets[i], offsets[i + 1] - offsets[i]);
      Sha256.finish(digest, digests, digestOffset + i * Digest.BYTES);
    }
  }

  @Override
  public void parents(
      byte[] children, int childOffset, int count, byte[] parents, int parentOffset) {
    checkRange(childOffset, 2 * Digest.BYTES, count, children);
    checkRange(parentOffset, Digest.BYTES, count, parents);
    MessageDigest digest = DIGEST.get();
    for (int i = 0; i < count; i++) {
      digest.update(NODE_PREFIX);
      digest.update(children, childOffset + i * 2 * Digest.BYTES, 2 * Digest.BYTES);
      Sha256.finish(digest, parents, parentOffset + i * Digest.BYTES);
    }
  }

  // Everything is checked before the first update, so that a refused batch leaves the thread's
  // digest clean.
  private static void checkRange(int offset, int stride, int count, byte[] array) {
    Objects.checkFromIndexSize(offset, (long) stride * count, (long) array.length);
    if (stride < 0 || count < 0) {
      throw new IndexOutOfBoundsException(count + " messages of " + stride + " bytes");
    }
  }

  private static void checkOffsets(byte[] messages, int[] offsets, int count) {
    Objects.checkFromIndexSize(0, count, offsets.length);
    Objects.checkIndex(count, offsets.length);
    Objects.checkFromToIndex(offsets[0], offsets[count], messages.length);
    for (int i = 0; i < count; i++) {
      if (offsets[i] > offsets[i + 1]) {
        throw new IndexOutOfBoundsException(
            "message " + i + " ends at " + offsets[i + 1] + " before it begins at " + offsets[i]);
      }
    }
  }
}
