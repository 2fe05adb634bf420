package io.tallystick.server.world;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.MalformedException;
import java.util.Locale;
import java.util.Objects;
import java.util.PrimitiveIterator;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/// A set of jsns as a compressed bitmap. Immutable.
public final class JsnSet {
  public static final JsnSet EMPTY = new JsnSet(new Roaring64Bitmap());

  private static final long JSN_MAX = 1L << 53;
  private static final long LONG_RUN = 256;

  private final Roaring64Bitmap bits;

  private JsnSet(Roaring64Bitmap bits) {
    this.bits = bits;
  }

  /// Collects jsns in any order.
  public static final class Builder {
    private final Roaring64Bitmap bits = new Roaring64Bitmap();

    public void add(long jsn) {
      bits.addLong(jsn);
    }

    /// To be called once.
    public JsnSet build() {
      bits.runOptimize();
      return new JsnSet(bits);
    }
  }

  public static JsnSet of(long... jsns) {
    Builder set = new Builder();
    for (long jsn : jsns) {
      set.add(jsn);
    }
    return set.build();
  }

  public boolean contains(long jsn) {
    return bits.contains(jsn);
  }

  public boolean isEmpty() {
    return bits.isEmpty();
  }

  public long count() {
    return bits.getLongCardinality();
  }

  /// @throws java.util.NoSuchElementException if it is empty
  public long first() {
    return bits.first();
  }

  /// @throws java.util.NoSuchElementException if it is empty
  public long last() {
    return bits.last();
  }

  /// The lowest jsn that both sets have; −1 if they have none in common.
  public long firstInBoth(JsnSet other) {
    Roaring64Bitmap both = bits.clone();
    both.and(other.bits);
    return both.isEmpty() ? -1 : both.first();
  }

  public JsnSet and(JsnSet other) {
    Roaring64Bitmap all = bits.clone();
    all.or(other.bits);
    all.runOptimize();
    return new JsnSet(all);
  }

  /// In ascending order.
  public void forEach(LongConsumer each) {
    LongIterator jsns = bits.getLongIterator();
    while (jsns.hasNext()) {
      each.accept(jsns.next());
    }
  }

  /// Those that are `first` or above, ascending.
  public PrimitiveIterator.OfLong from(long first) {
    LongIterator jsns = bits.getLongIteratorFrom(first);
    return new PrimitiveIterator.OfLong() {
      @Override
      public boolean hasNext() {
        return jsns.hasNext();
      }

      @Override
      public long nextLong() {
        return jsns.next();
      }
    };
  }

  /// Ascending runs: for each the number of jsns that are not in the set behind the last one, then
  /// how many are. `[gap, length, gap, length…]`; the first gap counts from 0.
  void encodeInto(CborWriter out) {
    CborWriter runs = new CborWriter();
    int count = 0;
    long end = 0;
    LongIterator jsns = bits.getLongIterator();
    long next = jsns.hasNext() ? jsns.next() : -1;
    while (next >= 0) {
      long first = next;
      long last = first;
      next = jsns.hasNext() ? jsns.next() : -1;
      while (next == last + 1) {
        last = next;
        next = jsns.hasNext() ? jsns.next() : -1;
      }
      runs.uint(first - end).uint(last + 1 - first);
      end = last + 1;
      count++;
    }
    out.array(2 * count).raw(runs.toBytes());
  }

  static JsnSet decode(CborReader in) throws MalformedException {
    int items = in.arrayAtMost("runs of jsns", Integer.MAX_VALUE);
    if (items % 2 != 0) {
      throw new MalformedException("runs of jsns with " + items + " items");
    }
    Roaring64Bitmap bits = new Roaring64Bitmap();
    long end = 0;
    for (int i = 0; i < items; i += 2) {
      long first = end + in.uint("gap", JSN_MAX - end);
      long length = in.uint("run", JSN_MAX - first);
      if (length == 0 || (i > 0 && first == end)) {
        throw new MalformedException(
            String.format(Locale.ROOT, "run of %d jsns at %d behind %d", length, first, end));
      }
      end = first + length;
      addRun(bits, first, end);
    }
    return new JsnSet(bits);
  }

  /// `addRange` takes some 65,536 / length steps, whatever it adds.
  private static void addRun(Roaring64Bitmap bits, long first, long end) {
    if (end - first >= LONG_RUN) {
      bits.addRange(first, end);
      return;
    }
    for (long jsn = first; jsn < end; jsn++) {
      bits.addLong(jsn);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof JsnSet set && bits.equals(set.bits);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(bits);
  }

  @Override
  public String toString() {
    return isEmpty()
        ? "no jsns"
        : String.format(Locale.ROOT, "%d jsns from %d to %d", count(), first(), last());
  }
}
