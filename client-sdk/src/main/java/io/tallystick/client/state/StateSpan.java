package io.tallystick.client.state;

import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Which keys of a ledger's state are wanted, and as of which block. Keys are compared as strings
/// of unsigned bytes.
///
/// @param from the first key; empty: from the first of all
/// @param to behind the last key; empty: all keys from `from` on
/// @param asOfHeight of the block whose state is wanted; empty: the newest
/// @param pageKeys asked for at once; the service may give fewer
public record StateSpan(Bytes from, Optional<Bytes> to, OptionalLong asOfHeight, int pageKeys) {
  /// The most keys of one page.
  public static final int PAGE_MAX = StateRange.RESULTS_MAX;

  private static final int BYTE_MAX = 0xff;

  public StateSpan {
    checkBound(from);
    to.ifPresent(StateSpan::checkBound);
    if (to.isPresent() && from.compareTo(to.get()) >= 0) {
      throw new IllegalArgumentException("no key is from " + from + " to below " + to.get());
    }
    if (asOfHeight.isPresent() && asOfHeight.getAsLong() < 0) {
      throw new IllegalArgumentException("height " + asOfHeight.getAsLong() + " is negative");
    }
    if (pageKeys < 1 || pageKeys > PAGE_MAX) {
      throw new IllegalArgumentException("page of " + pageKeys + " keys, want 1 to " + PAGE_MAX);
    }
  }

  private static void checkBound(Bytes bound) {
    if (bound.size() > StateRange.BOUND_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "end of a range of %d bytes, at most %d",
              bound.size(),
              StateRange.BOUND_BYTES_MAX));
    }
  }

  public static StateSpan all() {
    return from(Bytes.EMPTY);
  }

  public static StateSpan from(Bytes key) {
    return new StateSpan(key, Optional.empty(), OptionalLong.empty(), PAGE_MAX);
  }

  /// @param end behind the last key
  public static StateSpan between(Bytes from, Bytes end) {
    return new StateSpan(from, Optional.of(end), OptionalLong.empty(), PAGE_MAX);
  }

  /// All keys that begin with this.
  public static StateSpan prefix(Bytes prefix) {
    byte[] end = prefix.toArray();
    int last = end.length - 1;
    while (last >= 0 && (end[last] & BYTE_MAX) == BYTE_MAX) {
      last--;
    }
    if (last < 0) {
      return from(prefix);
    }
    end[last]++;
    return between(prefix, Bytes.wrap(Arrays.copyOf(end, last + 1)));
  }

  /// As of the end of this block.
  public StateSpan asOf(long height) {
    return new StateSpan(from, to, OptionalLong.of(height), pageKeys);
  }

  public StateSpan withPagesOf(int keys) {
    return new StateSpan(from, to, asOfHeight, keys);
  }
}
