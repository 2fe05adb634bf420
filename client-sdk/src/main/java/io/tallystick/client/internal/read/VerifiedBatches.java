package io.tallystick.client.internal.read;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Digest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Batches of one strand whose signatures were verified: all members share them, so a reader of
/// members at random verifies each batch once. Keyed by the hash of the attestation, which every
/// member's leaf holds; the least recently used goes first. Thread-safe.
final class VerifiedBatches {
  /// Four million journals in batches of a thousand; some 200 bytes each.
  private static final int BATCHES_MAX = 4096;

  /// @param root over the requestHashes: what every signature of the attestation signs
  /// @param count of the requests, signed with it
  /// @param signers by whose keys, ascending by kid
  record Batch(Digest root, int count, List<PublicKey> signers) {
    Batch {
      signers = List.copyOf(signers);
    }

    List<Digest> kids() {
      return signers.stream().map(PublicKey::kid).toList();
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Digest, Batch> batches =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Digest, Batch> eldest) {
          return size() > BATCHES_MAX;
        }
      };

  /// The batch whose attestation hashes to `attestHash`, verified before; null if it is not kept.
  @Nullable Batch find(Digest attestHash) {
    lock.lock();
    try {
      return batches.get(attestHash);
    } finally {
      lock.unlock();
    }
  }

  void add(Digest attestHash, Batch batch) {
    lock.lock();
    try {
      batches.put(attestHash, batch);
    } finally {
      lock.unlock();
    }
  }
}
