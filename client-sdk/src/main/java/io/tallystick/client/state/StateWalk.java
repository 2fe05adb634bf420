package io.tallystick.client.state;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The keys of a range that have a value, page by page, all as of one block, whatever is written
/// meanwhile. Every page is verified before it is given: it begins where the one before ended, and
/// leaves no key out. A page at a time is in memory. Not thread-safe.
public final class StateWalk {
  private final StateReader reader;
  private final StateSpan span;
  private final VerifiedBlock block;
  private StateReader.@Nullable Page waiting;
  private Optional<Bytes> from;

  StateWalk(StateReader reader, StateSpan span, StateReader.Page first) {
    this.reader = reader;
    this.span = span;
    this.block = first.block();
    this.waiting = first;
    this.from = first.next();
  }

  /// The block whose state it is.
  public VerifiedBlock block() {
    return block;
  }

  /// Under which all pages are proven.
  public SignedHead head() {
    return block.head();
  }

  /// The next keys, in ascending order; none: that was all.
  ///
  /// @throws RequestRefusedException `pruned` if the service does not keep the block's state any
  ///   more: begin anew, behind the last key given if you like
  public List<StateItem> next() throws TallyException {
    List<StateItem> items = List.of();
    while (items.isEmpty() && (waiting != null || from.isPresent())) {
      StateReader.Page page =
          waiting != null ? waiting : reader.next(span, from.orElseThrow(), block);
      waiting = null;
      from = page.next();
      items = page.items(); // none if all its keys were deleted
    }
    return items;
  }
}
