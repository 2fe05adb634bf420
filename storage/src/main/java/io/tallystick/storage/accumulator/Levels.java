package io.tallystick.storage.accumulator;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.array.ArrayId;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The stored levels 0, 4, 8, … of one tree, an array each: hash (level, i) is row i. An array is
/// opened when it is needed first. One owner thread appends; any thread reads.
final class Levels implements AutoCloseable {
  /// Levels between two stored ones.
  static final int STEP = 4;

  /// Children of one stored level below a node of the next.
  static final int FANOUT = 1 << STEP;

  private static final String[] NAMES = new String[Long.SIZE / STEP];
  private static final @Nullable AppendArray[] NONE = {};

  static {
    Arrays.setAll(NAMES, element -> "bamt-%02d".formatted(element * STEP));
  }

  private final ArrayStore arrays;
  private final StrandId strand;
  private long savedSize; // under this object's monitor
  private volatile @Nullable AppendArray[] opened = NONE; // element k is level 4k; immutable

  /// @param size of the tree at the last savepoint
  Levels(ArrayStore arrays, StrandId strand, long size) {
    this.arrays = arrays;
    this.strand = strand;
    this.savedSize = size;
  }

  static boolean isStored(int level) {
    return level % STEP == 0;
  }

  void append(int level, byte[] hashes, int offset, int count)
      throws IOException, CorruptStreamException {
    array(level).append(hashes, offset, count);
  }

  private AppendArray array(int level) throws IOException, CorruptStreamException {
    AppendArray array = find(level);
    return array != null ? array : open(level);
  }

  private @Nullable AppendArray find(int level) {
    @Nullable AppendArray[] now = opened;
    return level / STEP < now.length ? now[level / STEP] : null;
  }

  /// What was appended to a level since the last savepoint is in an array that is open.
  ///
  /// @throws CorruptStreamException if the level has not exactly its complete subtrees
  private synchronized AppendArray open(int level) throws IOException, CorruptStreamException {
    AppendArray array = find(level);
    if (array != null) {
      return array;
    }
    array = arrays.open(id(level), Digest.BYTES);
    long want = savedSize >> level;
    if (array.rowCount() != want) {
      array.close();
      throw new CorruptStreamException(
          "accumulator level " + id(level),
          array.rowCount() * Digest.BYTES,
          "%d rows, want %d for size %d".formatted(array.rowCount(), want, savedSize));
    }
    int element = level / STEP;
    @Nullable AppendArray[] more = Arrays.copyOf(opened, Math.max(opened.length, element + 1));
    more[element] = array;
    opened = more;
    return array;
  }

  private ArrayId id(int level) {
    return new ArrayId(strand, NAMES[level / STEP]);
  }

  long rowCount(int level) throws IOException, CorruptStreamException {
    return array(level).rowCount();
  }

  void read(int level, long first, int count, byte[] into, int offset)
      throws IOException, CorruptStreamException {
    AppendArray array = array(level);
    try {
      array.read(first, count, into, offset);
    } catch (CorruptStreamException e) {
      AppendArray now = array(level);
      if (now == array) {
        throw e;
      }
      now.read(first, count, into, offset); // one that was let go of may have moved to a file
    }
  }

  /// @param size of the tree now
  synchronized void savepoint(MetaBatch batch, long size)
      throws IOException, CorruptStreamException {
    for (AppendArray array : opened) {
      if (array != null) {
        array.savepoint(batch);
      }
    }
    savedSize = size;
  }

  /// Lets go of the arrays. One that is needed again is opened again, as the last savepoint left
  /// it.
  @Override
  public synchronized void close() {
    for (AppendArray array : opened) {
      if (array != null) {
        array.close();
      }
    }
    opened = NONE;
  }
}
