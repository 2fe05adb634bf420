package io.tallystick.storage.patricia;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.model.Digest;
import java.util.Arrays;

/// Encodes nodes of one level one behind the other and hashes them with as few calls as the hasher
/// wants. One thread's; allocation-free but for the RLP that a branch keeps, once its buffers have
/// grown.
final class LevelHashing {
  private static final int MESSAGES_MIN = 1 << 13;

  private final NodeEncoder encoder = new NodeEncoder();
  private byte[] messages = new byte[MESSAGES_MIN];
  private int[] offsets = {0};
  private byte[] digests = {};

  /// Gives each of `level[from, to)` the hash of what it holds. Their children have theirs.
  void hash(Node[] level, int from, int to, BatchHasher hasher) {
    int callMessages = hasher.callMessages();
    for (int first = from; first < to; first += callMessages) {
      int count = Math.min(callMessages, to - first);
      encode(level, first, count);
      hasher.keccak256(messages, offsets, count, digests, 0);
      for (int i = 0; i < count; i++) {
        finish(level[first + i], i * Digest.BYTES);
      }
    }
  }

  private void encode(Node[] level, int first, int count) {
    if (offsets.length <= count) {
      offsets = new int[count + 1];
      digests = new byte[count * Digest.BYTES];
    }
    for (int i = 0; i < count; i++) {
      int at = offsets[i];
      if (messages.length - at < NodeEncoder.BYTES_MAX) {
        messages = Arrays.copyOf(messages, 2 * messages.length);
      }
      offsets[i + 1] = at + encoder.encode(level[first + i], messages, at);
    }
  }

  /// A published node must not hold on to the edit's way up.
  private void finish(Node node, int digestOffset) {
    node.hash(digests, digestOffset);
    switch (node) {
      case Leaf leaf -> leaf.parent = null;
      case Inner inner -> inner.parent = null;
      case StoredNode _ -> {}
    }
  }
}
