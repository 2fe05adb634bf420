package io.tallystick.storage.array;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import java.util.Arrays;
import java.util.SplittableRandom;

/// What the array tests share: rows whose bytes follow from their number.
final class Rows {
  static final ArrayId ID = id("rows");

  private Rows() {}

  static ArrayId id(String name) {
    return new ArrayId(new StrandId(new LedgerId(Digest.ZERO), 7), name);
  }

  /// Rows `[first, first + count)` of the series `seed`.
  static byte[] of(int seed, long first, int count, int rowBytes) {
    byte[] rows = new byte[count * rowBytes];
    for (int i = 0; i < count; i++) {
      byte[] row = new byte[rowBytes];
      new SplittableRandom(31 * (first + i) + seed).nextBytes(row);
      System.arraycopy(row, 0, rows, i * rowBytes, rowBytes);
    }
    return rows;
  }

  static byte[] read(AppendArray array, long first, int count, int rowBytes) throws Exception {
    byte[] into = new byte[count * rowBytes + 6];
    array.read(first, count, into, 3);
    return Arrays.copyOfRange(into, 3, into.length - 3);
  }

  static MetaBatch savepoint(AppendArray array, MetaStore meta) throws Exception {
    MetaBatch batch = new MetaBatch();
    array.savepoint(batch);
    meta.write(batch);
    return batch;
  }
}
