package io.tallystick.server.state;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StateQuery;
import io.tallystick.state.RangeOfState;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Pages of a state in key order. A page ends early where its values, what is read for them, or its
/// proof would be too large; it then says so by its end.
final class StatePages {
  /// Bytes of entries looked at for a page; its proof is about as large. One that is too large all
  /// the same is made again of half as many.
  private static final long ENTRY_BYTES_WANTED = 2 << 20;

  private StatePages() {}

  /// @throws RequestRejectedException `MALFORMED`
  static void check(StateQuery query) throws RequestRejectedException {
    Bytes from = query.from();
    int longest = Math.max(from.size(), query.to().map(Bytes::size).orElse(0));
    if (longest > StateRange.BOUND_BYTES_MAX) {
      throw new RequestRejectedException(
              RejectionCode.MALFORMED,
              String.format(
                  Locale.ROOT,
                  "an end of the range has %d bytes, at most %d",
                  longest,
                  StateRange.BOUND_BYTES_MAX))
          .withLimit(StateRange.BOUND_BYTES_MAX);
    }
    if (query.to().isPresent() && from.compareTo(query.to().get()) >= 0) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED,
          String.format(
              Locale.ROOT,
              "the range from %s to %s holds no key",
              Printable.name(from),
              Printable.name(query.to().get())));
    }
  }

  static ProvenStatePage page(StateQuery query, StateAt at)
      throws IOException, CorruptStreamException, RequestRejectedException {
    ForestReader.Page page;
    RangeOfState proof;
    long budget = 2 * ENTRY_BYTES_WANTED;
    do {
      if (budget == 1) {
        throw new RequestRejectedException(
                RejectionCode.TOO_LARGE,
                "the proof of one key has more than " + RangeOfState.BYTES_MAX + " bytes")
            .withLimit(RangeOfState.BYTES_MAX);
      }
      budget /= 2;
      page = cut(query, at, budget);
      StateRange range = at.reader().range(query.from(), page.end().orElse(null));
      proof = new RangeOfState(at.seal(), query.from(), page.end(), range);
    } while (proof.encode().size() > RangeOfState.BYTES_MAX);
    List<StateEntry> entries = verified(proof, page.entries(), at);
    List<ReadValue> read = query.withValues() ? at.values().read(page.entries()) : List.of();
    Optional<Bytes> next = page.end().equals(query.to()) ? Optional.empty() : page.end();
    return new ProvenStatePage(at.view(), proof, entries, read, next);
  }

  /// Ends where its values take too much.
  private static ForestReader.Page cut(StateQuery query, StateAt at, long budget)
      throws IOException, CorruptStreamException {
    ForestReader.Page page =
        at.reader().page(query.from(), query.to().orElse(null), query.limit(), budget);
    if (!query.withValues()) {
      return page;
    }
    int count = at.values().countOfPage(page.entries());
    if (count == page.entries().size()) {
      return page;
    }
    List<HeldEntry> kept = page.entries().subList(0, count);
    return new ForestReader.Page(kept, Optional.of(ForestReader.behind(kept.getLast().key())));
  }

  private static List<StateEntry> verified(RangeOfState proof, List<HeldEntry> entries, StateAt at)
      throws RequestRejectedException {
    try {
      List<StateEntry> proven =
          proof.range().verify(proof.from(), proof.to(), at.root(), at.height());
      List<StateEntry> found = entries.stream().map(HeldEntry::entry).toList();
      if (!proven.equals(found)) {
        throw new AssertionError("the proof shows other entries than the page");
      }
      return proven;
    } catch (ProofRejectedException e) {
      throw ProvenStateReader.damaged(e);
    }
  }
}
