package io.tallystick.storage.accumulator;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.array.ArrayId;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The stored levels 0, 4, 8, … of one tree, an array each: hash (level, i) is row i. An array is
/// opened when its first row comes. One owner thread appends; any thread reads.
final class Levels implements AutoCloseable {
  /// Levels between two stored ones.
  static final int STEP = 4;

  /// Children of one stored level below a node of the next.
  static final int FANOUT = 1 << STEP;

  private static final String[] NAMES = new String[Long.SIZE / STEP];

  static {
    Arrays.setAll(NAMES, element -> "bamt-%02d".formatted(element * STEP));
  }

  private final ArrayStore arrays;
  private final StrandId strand;
  private volatile List<AppendArray> opened = List.of(); // element k is level 4k

  Levels(ArrayStore arrays, StrandId strand) {
    this.arrays = arrays;
    this.strand = strand;
  }

  static boolean isStored(int level) {
    return level % STEP == 0;
  }

  /// Opens the levels of a tree of `size` leaves.
  ///
  /// @throws CorruptStreamException if a level has not exactly its complete subtrees
  void restore(long size) throws IOException, CorruptStreamException {
    for (int level = 0; level == 0 || size >> level != 0; level += STEP) {
      long rows = openTo(level).rowCount();
      if (rows != size >> level) {
        throw new CorruptStreamException(
            "accumulator level " + id(level),
            rows * Digest.BYTES,
            "%d rows, want %d for size %d".formatted(rows, size >> level, size));
      }
    }
  }

  void append(int level, byte[] hashes, int offset, int count)
      throws IOException, CorruptStreamException {
    openTo(level).append(hashes, offset, count);
  }

  private AppendArray openTo(int level) throws IOException, CorruptStreamException {
    int element = level / STEP;
    if (element == opened.size()) {
      List<AppendArray> more = new ArrayList<>(opened);
      more.add(arrays.open(id(level), Digest.BYTES));
      opened = List.copyOf(more);
    }
    return opened.get(element);
  }

  private ArrayId id(int level) {
    return new ArrayId(strand, NAMES[level / STEP]);
  }

  long rowCount(int level) {
    return level / STEP < opened.size() ? opened.get(level / STEP).rowCount() : 0;
  }

  void read(int level, long first, int count, byte[] into, int offset)
      throws IOException, CorruptStreamException {
    opened.get(level / STEP).read(first, count, into, offset);
  }

  void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    for (AppendArray array : opened) {
      array.savepoint(batch);
    }
  }

  @Override
  public void close() {
    opened.forEach(AppendArray::close);
  }
}
