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
  private final Optional<AtTime> atTime;
  private StateReader.@Nullable Page waiting;
  private Optional<Bytes> from;

  StateWalk(StateReader reader, StateSpan span, StateReader.Page first, Optional<AtTime> atTime) {
    this.reader = reader;
    this.span = span;
    this.atTime = atTime;
    this.block = first.page().block();
    this.waiting = first;
    this.from = first.next();
  }

  /// The block whose state it is.
  public VerifiedBlock block() {
    return block;
  }

  /// Of a walk at a time, why it is that block, and whether that is final.
  public Optional<AtTime> atTime() {
    return atTime;
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
    for (Optional<StateRangePage> page = nextPage(); page.isPresent(); page = nextPage()) {
      if (!page.get().items().isEmpty()) { // none if all its keys were deleted
        return page.get().items();
      }
    }
    return List.of();
  }

  /// The same with its proof, also of a page without keys; empty: that was all.
  ///
  /// @throws RequestRefusedException as {@link #next}
  public Optional<StateRangePage> nextPage() throws TallyException {
    StateReader.Page page = waiting;
    waiting = null;
    if (page == null) {
      if (from.isEmpty()) {
        return Optional.empty();
      }
      page = reader.next(span, from.get(), block);
    }
    from = page.next();
    return Optional.of(page.page());
  }
}
