package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.HashBuffer;
import io.tallystick.model.Digest;
import java.util.random.RandomGenerator;

/// One call of each kind, on random messages, and what the CPU makes of them.
final class AllCalls {
  private static final int STRIDE = 40;

  private final int count;
  private final int width;
  private final byte[] messages;
  private final int[] offsets;
  private final byte[] leaves;
  private final byte[] want;

  /// @param count messages of each call
  /// @param width of subtrees, of which there are three
  AllCalls(RandomGenerator random, int count, int width) {
    this.count = count;
    this.width = width;
    this.offsets = new int[count + 1];
    for (int i = 0; i < count; i++) {
      offsets[i + 1] = offsets[i] + STRIDE + random.nextInt(100);
    }
    messages = new byte[offsets[count]];
    random.nextBytes(messages);
    leaves = new byte[3 * width * Digest.BYTES];
    random.nextBytes(leaves);
    want = digests(BatchHasher.cpu());
  }

  /// All digests, call by call.
  byte[] digests(BatchHasher hasher) {
    int bytes = count * Digest.BYTES;
    byte[] digests = new byte[7 * bytes + leaves.length];
    hasher.sha256(messages, 0, STRIDE, count, digests, 0);
    hasher.sha256(messages, offsets, count, digests, bytes);
    hasher.leaves(messages, offsets, count, digests, 2 * bytes);
    hasher.keccak256(messages, offsets, count, digests, 3 * bytes);
    hasher.parents(messages, 0, count / 2, digests, 4 * bytes);
    try (HashBuffer buffer = hasher.buffer(1)) {
      for (int i = 0; i < count; i++) {
        buffer.put(messages, offsets[i], offsets[i + 1] - offsets[i]).endMessage();
      }
      hasher.leaves(buffer);
      buffer.digests(digests, 5 * bytes);
      hasher.keccak256(buffer);
      buffer.digests(digests, 6 * bytes);
    }
    hasher.subtrees(leaves, 0, width, 3, digests, 7 * bytes);
    return digests;
  }

  void checkOn(BatchHasher hasher) {
    assertThat(digests(hasher)).isEqualTo(want);
  }
}
