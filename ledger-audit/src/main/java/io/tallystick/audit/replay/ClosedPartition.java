package io.tallystick.audit.replay;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A partition that gets no more entries: a sorted run of blocks in a file. In memory stay its
/// record in the root, the first key of each block and a filter of its keys. Not thread-safe.
final class ClosedPartition {
  private static final int BLOCK_BYTES = 16 << 10;
  private static final long OBJECT_BYTES = 256;
  private static final long BLOCK_INDEX_BYTES = 96;

  private final Head head;
  private final Bytes record;
  private final BlockFile file;
  private final ReplayKeyFilter filter;
  private final List<Place> places = new ArrayList<>();
  private long bytes = OBJECT_BYTES;

  private ClosedPartition(Head head, Bytes record, BlockFile file) {
    this.head = head;
    this.record = record;
    this.file = file;
    this.filter = new ReplayKeyFilter(head.entryCount);
    this.bytes += filter.bytes() + record.size();
  }

  /// The fields of a partition's record, over which the forest's root is made.
  record Head(long number, long firstHeight, long lastHeight, long entryCount, Bytes rootHash) {}

  /// @param first the key of the block's first entry
  private record Place(BlockFile.Block block, Bytes first, long entries) {}

  Head head() {
    return head;
  }

  long number() {
    return head.number;
  }

  long entryCount() {
    return head.entryCount;
  }

  /// Its record in the root over the partitions.
  Bytes record() {
    return record;
  }

  /// The memory it takes, in bytes.
  long bytes() {
    return bytes;
  }

  /// Sets `view` to the entry of a key.
  ///
  /// @return false if there is none
  boolean find(byte[] key, StateEntryView view) throws IOException {
    int place = filter.mayHave(key) ? placeOf(key) : -1;
    if (place < 0) {
      return false;
    }
    byte[] block = file.read(places.get(place).block);
    for (int at = 0; at < block.length; at = view.end()) {
      int order = view.set(block, at).compareKey(key);
      if (order >= 0) {
        return order == 0;
      }
    }
    return false;
  }

  /// The last block whose first key is not above the key; -1 if there is none.
  private int placeOf(byte[] key) {
    int low = 0;
    int high = places.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(places.get(middle).first.unsafeArray(), key) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /// Gives up its blocks.
  void drop() throws IOException {
    for (Place place : places) {
      file.free(place.block);
    }
  }

  /// Goes through its entries in the order of their keys. Used by one.
  final class Cursor {
    private final StateEntryView view = new StateEntryView();
    private int place;
    private byte @Nullable [] block;
    private int at;

    /// Steps over so many entries.
    void skip(long entries) throws IOException {
      long left = entries;
      while (left > 0 && block == null && left >= places.get(place).entries) {
        left -= places.get(place).entries;
        place++;
      }
      for (; left > 0; left--) {
        next();
      }
    }

    /// The next entry, which must be there; valid until the next call.
    StateEntryView next() throws IOException {
      byte[] current = block;
      if (current == null) {
        current = file.read(places.get(place).block);
        block = current;
        at = 0;
      }
      view.set(current, at);
      at = view.end();
      if (at == current.length) {
        block = null;
        place++;
      }
      return view;
    }
  }

  /// Writes the entries of a partition, in order. Used once.
  static final class Writer {
    private final ClosedPartition partition;
    private final StateEntryView view = new StateEntryView();
    private final byte[] block = new byte[BLOCK_BYTES];
    private Bytes first = Bytes.EMPTY;
    private int length;
    private long entriesInBlock;
    private long entries;

    Writer(Head head, Bytes record, BlockFile file) {
      this.partition = new ClosedPartition(head, record, file);
    }

    /// Entries one behind the other, as a leaf has them.
    void add(byte[] packed) throws IOException {
      for (int at = 0; at < packed.length; at = view.end()) {
        add(view.set(packed, at));
      }
    }

    void add(StateEntryView entry) throws IOException {
      int size = entry.end() - entry.start();
      if (length + size > BLOCK_BYTES) {
        flush();
      }
      if (length == 0) {
        first = entry.key();
      }
      System.arraycopy(entry.bytes(), entry.start(), block, length, size);
      length += size;
      entriesInBlock++;
      entries++;
      partition.filter.add(entry.bytes(), entry.keyAt(), entry.keyLength());
    }

    private void flush() throws IOException {
      if (length > 0) {
        partition.places.add(new Place(partition.file.write(block, length), first, entriesInBlock));
        partition.bytes += BLOCK_INDEX_BYTES + first.size();
        length = 0;
        entriesInBlock = 0;
      }
    }

    ClosedPartition finish() throws IOException {
      flush();
      if (entries != partition.entryCount()) {
        throw new AssertionError(entries + " entries, want " + partition.entryCount());
      }
      return partition;
    }
  }
}
