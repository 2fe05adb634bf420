package io.tallystick.storage.clue;

import io.tallystick.model.Digest;
import java.util.Arrays;

/// Clue ids in the order they came, 32 bytes each. Not thread-safe.
final class IdList {
  private static final int KEPT_BYTES_MAX = 4096 * Digest.BYTES;
  private static final int IDS_MIN = 8;
  private static final byte[] NONE = new byte[0];

  private byte[] ids = NONE;
  private int count;

  void add(Digest clueId) {
    int at = count * Digest.BYTES;
    if (at == ids.length) {
      ids = Arrays.copyOf(ids, Math.max(IDS_MIN * Digest.BYTES, Math.multiplyExact(at, 2)));
    }
    clueId.copyInto(ids, at);
    count++;
  }

  int count() {
    return count;
  }

  Digest at(int place) {
    return Digest.of(ids, place * Digest.BYTES);
  }

  /// Of the memory of a long list nothing is kept: there is one for each strand in use.
  void clear() {
    if (ids.length > KEPT_BYTES_MAX) {
      ids = NONE;
    }
    count = 0;
  }
}
