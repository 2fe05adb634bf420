package io.tallystick.storage.accumulator;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.array.ArrayId;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.array.RestingArray;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// The stored levels 0, 4, 8, … of one tree, an array each: hash (level, i) is row i. An array is
/// opened when it is needed first. One owner thread appends; any thread reads.
final class Levels implements AutoCloseable {
  /// Levels between two stored ones.
  static final int STEP = 4;

  /// Children of one stored level below a node of the next.
  static final int FANOUT = 1 << STEP;

  private static final String[] NAMES = new String[Long.SIZE / STEP];

  static {
    Arrays.setAll(NAMES, element -> String.format(Locale.ROOT, "bamt-%02d", element * STEP));
  }

  private final ArrayStore arrays;
  private final StrandId strand;
  private final long restoredSize;
  private volatile List<RestingArray> known = List.of(); // element k is level 4k

  /// @param size of the tree at the last savepoint: a level has its complete subtrees
  Levels(ArrayStore arrays, StrandId strand, long size) {
    this.arrays = arrays;
    this.strand = strand;
    this.restoredSize = size;
  }

  static boolean isStored(int level) {
    return level % STEP == 0;
  }

  void append(int level, byte[] hashes, int offset, int count)
      throws IOException, CorruptStreamException {
    array(level).append(hashes, offset, count);
  }

  private RestingArray array(int level) {
    List<RestingArray> now = known;
    return level / STEP < now.size() ? now.get(level / STEP) : learn(level);
  }

  /// A level that was not used yet is as it was restored.
  private synchronized RestingArray learn(int level) {
    RestingArray[] more = known.toArray(new RestingArray[Math.max(known.size(), level / STEP + 1)]);
    for (int element = known.size(); element < more.length; element++) {
      more[element] =
          new RestingArray(
              arrays,
              new ArrayId(strand, NAMES[element]),
              Digest.BYTES,
              restoredSize >> (element * STEP));
    }
    known = List.of(more);
    return known.get(level / STEP);
  }

  long rowCount(int level) throws IOException, CorruptStreamException {
    return array(level).rowCount();
  }

  void read(int level, long first, int count, byte[] into, int offset)
      throws IOException, CorruptStreamException {
    array(level).read(first, count, into, offset);
  }

  void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    for (RestingArray array : known) {
      array.savepoint(batch);
    }
  }

  /// Closes the arrays. One that is needed again is opened again, as the last savepoint left it.
  @Override
  public void close() {
    known.forEach(RestingArray::rest);
  }
}
