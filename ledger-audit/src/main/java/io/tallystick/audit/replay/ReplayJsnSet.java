package io.tallystick.audit.replay;

import io.tallystick.model.MalformedException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/// A set of jsns, one bit each, in pages of 32,768 jsns: only pages with a jsn take memory. Not
/// thread-safe.
public final class ReplayJsnSet {
  /// The answer of {@link #next} behind the last jsn.
  public static final long NONE = -1;

  private static final int PAGE_BITS = 15;
  private static final int PAGE_WORDS = (1 << PAGE_BITS) / Long.SIZE;
  private static final long PAGE_BYTES = (long) PAGE_WORDS * Long.BYTES + 128;

  private final TreeMap<Long, long[]> pages = new TreeMap<>();
  private long count;

  /// @return whether it was not there
  public boolean add(long jsn) {
    long[] page = pages.computeIfAbsent(jsn >>> PAGE_BITS, _ -> new long[PAGE_WORDS]);
    int word = word(jsn);
    boolean added = (page[word] & (1L << jsn)) == 0;
    page[word] |= 1L << jsn;
    count += added ? 1 : 0;
    return added;
  }

  /// @return whether it was there
  public boolean remove(long jsn) {
    long[] page = pages.get(jsn >>> PAGE_BITS);
    if (page == null || (page[word(jsn)] & (1L << jsn)) == 0) {
      return false;
    }
    page[word(jsn)] &= ~(1L << jsn);
    count--;
    return true;
  }

  public boolean contains(long jsn) {
    long[] page = pages.get(jsn >>> PAGE_BITS);
    return page != null && (page[word(jsn)] & (1L << jsn)) != 0;
  }

  private static int word(long jsn) {
    return (int) (jsn >>> 6) & (PAGE_WORDS - 1);
  }

  public boolean isEmpty() {
    return count == 0;
  }

  public long count() {
    return count;
  }

  /// The lowest that is not below `jsn`; {@link #NONE} if there is none.
  public long next(long jsn) {
    for (Map.Entry<Long, long[]> page : pages.tailMap(jsn >>> PAGE_BITS).entrySet()) {
      long base = page.getKey() << PAGE_BITS;
      long from = Math.max(base, jsn);
      long found = next(page.getValue(), base, from);
      if (found != NONE) {
        return found;
      }
    }
    return NONE;
  }

  private static long next(long[] page, long base, long from) {
    int word = word(from);
    long bits = page[word] & (-1L << from);
    while (bits == 0 && ++word < PAGE_WORDS) {
      bits = page[word];
    }
    return bits == 0 ? NONE : base + (long) word * Long.SIZE + Long.numberOfTrailingZeros(bits);
  }

  /// Forgets all.
  public void clear() {
    pages.clear();
    count = 0;
  }

  /// How much memory it takes, roughly.
  public long bytes() {
    return pages.size() * PAGE_BYTES;
  }

  void writeTo(DataOutputStream out) throws IOException {
    out.writeInt(pages.size());
    for (Map.Entry<Long, long[]> page : pages.entrySet()) {
      out.writeLong(page.getKey());
      for (long word : page.getValue()) {
        out.writeLong(word);
      }
    }
  }

  /// Into an empty set.
  void readFrom(DataInputStream in) throws IOException, MalformedException {
    int size = in.readInt();
    for (int i = 0; i < size; i++) {
      long number = in.readLong();
      if (number < 0 || (!pages.isEmpty() && number <= pages.lastKey())) {
        throw new MalformedException("pages of jsns do not ascend at " + number);
      }
      long[] page = new long[PAGE_WORDS];
      for (int word = 0; word < PAGE_WORDS; word++) {
        page[word] = in.readLong();
        count += Long.bitCount(page[word]);
      }
      pages.put(number, page);
    }
  }
}
