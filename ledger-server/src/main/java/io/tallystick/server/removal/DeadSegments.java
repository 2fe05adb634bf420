package io.tallystick.server.removal;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameLocations;
import io.tallystick.storage.stream.StreamEraser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// The first segments of a shard's stream in which no ledger has anything left: they are dropped as
/// whole files. A ledger needs the segments from its first block on; after a purge, from the block
/// that holds the first leaf which stays. Source: `docs/formats/commit-frame.md`, "Dropped
/// segments".
final class DeadSegments {
  /// Ledgers that one call looks at: a shard may have tens of thousands.
  static final int LEDGERS_PER_CALL = 64;

  private final MetaStore meta;
  private final StreamEraser stream;
  private final Indexer indexer;
  private @Nullable Search begun;

  /// The ledger that needed the first segment when it was looked at last. It is looked at first, so
  /// that one ledger is enough while it goes on needing it.
  private @Nullable LedgerId keeper;

  /// A purge whose segments are looked for, and what its ledger and those up to `after` need.
  private static final class Search {
    private final LedgerId ledger;
    private final long purge;
    private int needed;
    private @Nullable Bytes after;

    Search(LedgerId ledger, long purge, int needed) {
      this.ledger = ledger;
      this.purge = purge;
      this.needed = needed;
    }
  }

  DeadSegments(MetaStore meta, StreamEraser stream, Indexer indexer) {
    this.meta = meta;
    this.stream = stream;
    this.indexer = indexer;
  }

  /// The first segment that is needed once a purge is carried out; all before it may be dropped
  /// when the erasing has begun. A later search finds the same or a later one: a ledger that is
  /// founded meanwhile begins at the stream's end.
  ///
  /// @return empty if there are more ledgers to look at: call it again, with the same purge
  OptionalInt firstNeeded(StrandIndex strand, Purge purge)
      throws IOException, CorruptStreamException {
    Search search = search(strand, purge);
    List<LedgerId> ledgers =
        search.needed > stream.firstSegment() ? ledgersAfter(search.after) : List.of();
    for (LedgerId ledger : ledgers) {
      search.after = WorldRows.ledgerKey(ledger);
      look(search, ledger);
    }
    if (ledgers.size() == LEDGERS_PER_CALL && search.needed > stream.firstSegment()) {
      return OptionalInt.empty();
    }
    begun = null;
    return OptionalInt.of(search.needed);
  }

  private Search search(StrandIndex strand, Purge purge)
      throws IOException, CorruptStreamException {
    LedgerId ledger = strand.strand().ledger();
    Search search = begun;
    if (search == null || search.purge != purge.jsn() || !search.ledger.equals(ledger)) {
      int own = segmentOf(strand, strand.heightOf(purge.firstLeaf()));
      search = new Search(ledger, purge.jsn(), own);
      begun = search;
      if (keeper != null) {
        look(search, keeper);
      }
    }
    return search;
  }

  private void look(Search search, LedgerId ledger) throws IOException {
    if (search.needed > stream.firstSegment() && !ledger.equals(search.ledger)) {
      search.needed = Math.min(search.needed, firstNeeded(ledger));
      if (search.needed <= stream.firstSegment()) {
        keeper = ledger;
      }
    }
  }

  /// The next saved ledgers. One that is not saved yet was founded behind the savepoint, and so
  /// behind every purge that is erased.
  private List<LedgerId> ledgersAfter(@Nullable Bytes after) throws IOException {
    List<LedgerId> ledgers = new ArrayList<>();
    meta.scan(
        WorldRows.LEDGERS,
        after,
        (key, _) -> {
          ledgers.add(WorldRows.ledgerOf(key));
          return ledgers.size() < LEDGERS_PER_CALL;
        });
    return ledgers;
  }

  /// The first segment that a ledger needs which is not being purged.
  private int firstNeeded(LedgerId ledger) throws IOException {
    try {
      StrandIndex strand = indexer.strand(new StrandId(ledger, 0));
      for (Purge purge : strand.head().governance().removals().purges().reversed()) {
        if (meta.get(RemovalRows.doneKey(ledger, purge.jsn())) != null) {
          return segmentOf(strand, strand.heightOf(purge.firstLeaf()));
        }
      }
      return segmentOf(strand, 0);
    } catch (CorruptStreamException e) {
      return stream.firstSegment(); // its damage is told by whoever reads it
    }
  }

  private static int segmentOf(StrandIndex strand, long height)
      throws IOException, CorruptStreamException {
    return FrameLocations.segment(strand.block(height).frame());
  }

  /// Height of the lowest block that lies in no dropped segment.
  long firstHeight(StrandIndex strand) throws IOException, CorruptStreamException {
    long low = 0;
    long high = stream.firstSegment() == 0 ? 0 : strand.head().height();
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (segmentOf(strand, middle) < stream.firstSegment()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
