package io.tallystick.storage.array;

import java.util.Arrays;

/// The newest bytes of an array, in memory: those from `start` on. The set of chunks is immutable;
/// their bytes beyond the published length are still being written by the owner. A reader takes the
/// published length first and the tail after it, and so finds every byte below that length either
/// here or, below `start`, in the backing.
final class Tail {
  private static final int CHUNK_BYTES_MIN = 128;

  final long start;
  private final int chunkBytes;
  private final byte[][] chunks; // perhaps with places behind those used
  private final int used;

  private Tail(long start, int chunkBytes, byte[][] chunks, int used) {
    this.start = start;
    this.chunkBytes = chunkBytes;
    this.chunks = chunks;
    this.used = used;
  }

  static Tail empty(long start, int chunkBytes) {
    return new Tail(start, chunkBytes, new byte[0][], 0);
  }

  /// @param bytes the tail's first bytes, fewer than a chunk; not kept
  static Tail of(long start, int chunkBytes, byte[] bytes) {
    Tail tail = empty(start, chunkBytes).withRoomFor(start + bytes.length);
    tail.write(start, bytes, 0, bytes.length);
    return tail;
  }

  /// The end of the memory at hand.
  long capacityEnd() {
    if (used == 0) {
      return start;
    }
    return start + (long) (used - 1) * chunkBytes + chunks[used - 1].length;
  }

  /// This tail with memory up to `end`, or itself when it has that. All chunks but the last are
  /// full-sized; the first, as the last, grows by doubling, so that a tiny array stays tiny.
  Tail withRoomFor(long end) {
    if (end <= capacityEnd()) {
      return this;
    }
    long bytes = end - start;
    int count = Math.toIntExact((bytes + chunkBytes - 1) / chunkBytes);
    boolean lastIsWhole = used == 0 || chunks[used - 1].length == chunkBytes;
    // Whoever reads the tail of before looks at its own chunks only, so that more may be put behind
    // them; but none of them may be replaced.
    byte[][] grown =
        lastIsWhole && count <= chunks.length
            ? chunks
            : Arrays.copyOf(chunks, count <= 1 ? count : Math.max(count, 2 * used));
    for (int i = lastIsWhole ? used : used - 1; i < count; i++) {
      int wanted = i < count - 1 ? chunkBytes : (int) (bytes - (long) i * chunkBytes);
      byte[] old = i < used ? chunks[i] : new byte[0];
      int length = i == 0 ? grownLength(wanted) : chunkBytes;
      grown[i] = wanted <= old.length ? old : Arrays.copyOf(old, length);
    }
    return new Tail(start, chunkBytes, grown, count);
  }

  private int grownLength(int wanted) {
    int doubled = Math.max(CHUNK_BYTES_MIN, Integer.highestOneBit(wanted - 1) << 1);
    return Math.min(chunkBytes, Math.max(wanted, doubled));
  }

  /// This tail without the chunks below `position`, which is a chunk boundary within it.
  Tail from(long position) {
    if (position <= start) {
      return this;
    }
    int dropped = Math.toIntExact((position - start) / chunkBytes);
    return new Tail(
        position, chunkBytes, Arrays.copyOfRange(chunks, dropped, used), used - dropped);
  }

  /// This tail with no more memory in its last chunk than up to `end`: what is saved may stay as it
  /// is for long.
  Tail trimmed(long end) {
    int last = used - 1;
    if (last < 0 || capacityEnd() == end) {
      return this;
    }
    byte[][] same = Arrays.copyOf(chunks, used);
    same[last] = Arrays.copyOf(chunks[last], (int) (end - start - (long) last * chunkBytes));
    return new Tail(start, chunkBytes, same, used);
  }

  void write(long position, byte[] from, int offset, int count) {
    int done = 0;
    while (done < count) {
      int within = (int) ((position + done - start) % chunkBytes);
      int step = Math.min(count - done, chunkBytes - within);
      System.arraycopy(from, offset + done, chunkOf(position + done), within, step);
      done += step;
    }
  }

  void read(long position, byte[] into, int offset, int count) {
    int done = 0;
    while (done < count) {
      int within = (int) ((position + done - start) % chunkBytes);
      int step = Math.min(count - done, chunkBytes - within);
      System.arraycopy(chunkOf(position + done), within, into, offset + done, step);
      done += step;
    }
  }

  private byte[] chunkOf(long position) {
    return chunks[(int) ((position - start) / chunkBytes)];
  }
}
