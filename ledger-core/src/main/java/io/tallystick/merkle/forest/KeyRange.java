package io.tallystick.merkle.forest;

import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The keys that belong below one slot: `[low, high)`, either end open where null.
record KeyRange(@Nullable Bytes low, @Nullable Bytes high) {
  static final KeyRange ALL = new KeyRange(null, null);

  /// The keys of one slot of a node that has this range.
  KeyRange slot(Separators separators, int slot) {
    return new KeyRange(
        slot == 0 ? low : separators.values().get(slot - 1),
        slot == separators.size() ? high : separators.values().get(slot));
  }

  /// Refuses separators of a node that has this range, if one lies outside or at an end: its slot
  /// would hold no key, or keys of a neighbour.
  void checkInside(Separators separators) throws ProofRejectedException {
    if (separators.size() == 0) {
      return;
    }
    Bytes first = separators.values().getFirst();
    Bytes last = separators.values().getLast();
    if ((low != null && first.compareTo(low) <= 0) || (high != null && last.compareTo(high) >= 0)) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY,
          String.format(Locale.ROOT, "separators %s to %s outside %s", first, last, this));
    }
  }

  void checkHolds(Bytes key) throws ProofRejectedException {
    if ((low != null && key.compareTo(low) < 0) || (high != null && key.compareTo(high) >= 0)) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY, "key " + Printable.name(key) + " outside " + this);
    }
  }

  @Override
  public String toString() {
    return "[" + (low == null ? "" : low) + ", " + (high == null ? "" : high) + ")";
  }
}
