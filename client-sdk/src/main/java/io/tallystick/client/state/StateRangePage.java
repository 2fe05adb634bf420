package io.tallystick.client.state;

import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.model.Bytes;
import io.tallystick.state.RangeFile;
import io.tallystick.state.RangeOfState;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A page of a range: all keys from {@link #from} to below {@link #to} that have a value, verified
/// under the head of a block.
public final class StateRangePage {
  private final VerifiedBlock block;
  private final RangeOfState proof;
  private final List<StateItem> items;

  StateRangePage(VerifiedBlock block, RangeOfState proof, List<StateItem> items) {
    this.block = block;
    this.proof = proof;
    this.items = List.copyOf(items);
  }

  /// The block whose state it is.
  public VerifiedBlock block() {
    return block;
  }

  public Bytes from() {
    return proof.from();
  }

  /// Behind the last key; a page may end before the range does. Empty: no key is behind it.
  public Optional<Bytes> to() {
    return proof.to();
  }

  /// The keys that have a value, in ascending order; none if all were deleted.
  public List<StateItem> items() {
    return items;
  }

  /// The page as evidence for others, complete in itself but for the service's keys; with the
  /// values that are at hand.
  public RangeFile file() {
    return RangeFile.of(block.head(), proof, items.stream().map(StateItem::opened).toList());
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "StateRangePage[%d keys from %s to %s at height %d]",
        items.size(),
        from(),
        to(),
        block.height());
  }
}
