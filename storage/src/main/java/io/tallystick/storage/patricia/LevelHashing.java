package io.tallystick.storage.patricia;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.HashBuffer;
import io.tallystick.model.Digest;
import java.util.Arrays;

/// Encodes nodes of one level one behind the other into memory of the hasher's and hashes them with
/// as few calls as it wants. One thread's; allocation-free but for the RLP that a branch keeps,
/// once its buffers have grown.
final class LevelHashing {
  private static final int MESSAGES_MIN = 1 << 13;
  private static final Node[] NONE = {};

  private final BatchHasher hasher;
  private final HashBuffer messages;
  private final NodeEncoder encoder = new NodeEncoder();
  private Node[] encoded = NONE; // node i is message i
  private byte[] digests = {};

  /// @param hasher from which it has a buffer until {@link #close}
  LevelHashing(BatchHasher hasher) {
    this.hasher = hasher;
    this.messages = hasher.buffer(MESSAGES_MIN);
  }

  /// Gives each of `level[from, to)` that is still in the trie the hash of what it holds. Their
  /// children have theirs.
  void hash(Node[] level, int from, int to) {
    int most = Math.min(hasher.callMessages(), to - from);
    if (encoded.length < most) {
      encoded = new Node[most];
      digests = new byte[most * Digest.BYTES];
    }
    int next = from;
    while (next < to) {
      messages.clear();
      while (next < to && messages.count() < most) {
        encode(level[next++]);
      }
      if (messages.count() > 0) {
        finish();
      }
    }
  }

  private void encode(Node node) {
    if (!node.dropped) {
      encoded[messages.count()] = node;
      encoder.encode(node, messages);
      messages.endMessage();
    }
  }

  private void finish() {
    hasher.keccak256(messages);
    messages.digests(digests, 0);
    for (int i = 0; i < messages.count(); i++) {
      encoded[i].hash(digests, i * Digest.BYTES);
    }
    Arrays.fill(encoded, 0, messages.count(), null); // no old version stays reachable
  }

  /// Gives the buffer back.
  void close() {
    messages.close();
  }
}
