package io.tallystick.hashing;

import io.tallystick.crypto.Keccak256;
import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import java.security.MessageDigest;

/// Hashing on the calling thread, one message after the other, SHA-256 by the JDK's intrinsic: the
/// default {@link BatchHasher} and the oracle of any other. Over arrays allocation-free per
/// message. Thread-safe: each thread has its own digest. A refused batch leaves the digest clean.
public final class CpuBatchHasher implements BatchHasher {
  private static final byte LEAF_PREFIX = 0;
  private static final int BLOCK_BYTES = 64; // of SHA-256

  private static final ThreadLocal<MessageDigest> DIGEST =
      ThreadLocal.withInitial(Sha256::newDigest);

  /// A prefix and what follows it: a digest is faster when it gets whole blocks.
  private static final ThreadLocal<byte[]> PREFIXED =
      ThreadLocal.withInitial(() -> new byte[BLOCK_BYTES]);

  private static final ThreadLocal<Keccak256> KECCAK = ThreadLocal.withInitial(Keccak256::new);

  /// As many of a trie's nodes, of 530 bytes at most, as a core's second cache holds with room.
  private static final int CALL_MESSAGES = 128;

  static final CpuBatchHasher SHARED = new CpuBatchHasher();

  public CpuBatchHasher() {}

  @Override
  public void sha256(
      byte[] messages, int offset, int stride, int count, byte[] digests, int digestOffset) {
    Ranges.checkStrided(messages, offset, stride, count, digests, digestOffset);
    MessageDigest digest = DIGEST.get();
    for (int i = 0; i < count; i++) {
      digest.update(messages, offset + i * stride, stride);
      Sha256.finish(digest, digests, digestOffset + i * Digest.BYTES);
    }
  }

  @Override
  public void sha256(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    Ranges.checkMessages(messages, offsets, count, digests, digestOffset);
    MessageDigest digest = DIGEST.get();
    for (int i = 0; i < count; i++) {
      digest.update(messages, offsets[i], offsets[i + 1] - offsets[i]);
      Sha256.finish(digest, digests, digestOffset + i * Digest.BYTES);
    }
  }

  @Override
  public void leaves(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    Ranges.checkMessages(messages, offsets, count, digests, digestOffset);
    MessageDigest digest = DIGEST.get();
    byte[] block = PREFIXED.get();
    block[0] = LEAF_PREFIX;
    for (int i = 0; i < count; i++) {
      int from = offsets[i];
      int first = Math.min(offsets[i + 1] - from, BLOCK_BYTES - 1);
      System.arraycopy(messages, from, block, 1, first);
      digest.update(block, 0, 1 + first);
      digest.update(messages, from + first, offsets[i + 1] - from - first);
      Sha256.finish(digest, digests, digestOffset + i * Digest.BYTES);
    }
  }

  @Override
  public void parents(
      byte[] children, int childOffset, int count, byte[] parents, int parentOffset) {
    Ranges.checkParents(children, childOffset, count, parents, parentOffset);
    TreeHasher.parents(children, childOffset, count, parents, parentOffset);
  }

  @Override
  public void subtrees(
      byte[] leaves, int leafOffset, int width, int count, byte[] nodes, int nodeOffset) {
    Ranges.checkSubtrees(leaves, leafOffset, width, count, nodes, nodeOffset);
    int joins = count * (width / 2);
    TreeHasher.parents(leaves, leafOffset, joins, nodes, nodeOffset);
    int level = nodeOffset;
    while (joins > count) {
      int above = level + joins * Digest.BYTES;
      joins /= 2;
      TreeHasher.parents(nodes, level, joins, nodes, above);
      level = above;
    }
  }

  @Override
  public void keccak256(
      byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    Ranges.checkMessages(messages, offsets, count, digests, digestOffset);
    Keccak256 keccak = KECCAK.get();
    for (int i = 0; i < count; i++) {
      keccak.digest(
          messages,
          offsets[i],
          offsets[i + 1] - offsets[i],
          digests,
          digestOffset + i * Digest.BYTES);
    }
  }

  @Override
  public int callMessages() {
    return CALL_MESSAGES;
  }

  @Override
  public Support support() {
    return new Support.Unsupported("hashing is on the CPU");
  }
}
