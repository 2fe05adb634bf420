package io.tallystick.server.removal;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The first segments of a shard's stream in which no ledger has anything left: they are dropped as
/// whole files. A ledger needs the segments from its first block on; after a purge, from the block
/// that holds the first leaf which stays. Source: `docs/formats/commit-frame.md`, "Dropped
/// segments".
final class DeadSegments {
  /// Ledgers that one call looks at: a shard may have tens of thousands.
  static final int LEDGERS_PER_CALL = 64;

  private final MetaStore meta;
  private final ErasureTable erasures;
  private final StreamEraser stream;
  private final Indexer indexer;
  private @Nullable Search begun;

  /// The ledger that needed the first segment when it was looked at last. It is looked at first, so
  /// that one ledger is enough while it goes on needing it.
  private @Nullable LedgerId keeper;

  /// A purge whose segments are looked for, and the first frame that its ledger and those up to
  /// `after` need.
  private static final class Search {
    private final LedgerId ledger;
    private final long purge;
    private long needed;
    private @Nullable Bytes after;

    Search(LedgerId ledger, long purge, long needed) {
      this.ledger = ledger;
      this.purge = purge;
      this.needed = needed;
    }
  }

  DeadSegments(MetaStore meta, ErasureTable erasures, StreamEraser stream, Indexer indexer) {
    this.meta = meta;
    this.erasures = erasures;
    this.stream = stream;
    this.indexer = indexer;
  }

  /// The first frame that is needed once a purge is carried out; all segments before it may be
  /// dropped when the erasing has begun. A later search finds the same or a later one: a ledger
  /// that is founded meanwhile begins at the stream's end.
  ///
  /// @return its location; empty if there are more ledgers to look at: call it again, with the same
  ///   purge
  OptionalLong firstNeeded(StrandIndex strand, Purge purge)
      throws IOException, CorruptStreamException {
    Search search = search(strand, purge);
    List<LedgerId> ledgers =
        stream.canDropBefore(search.needed) ? ledgersAfter(search.after) : List.of();
    for (LedgerId ledger : ledgers) {
      search.after = WorldRows.ledgerKey(ledger);
      look(search, ledger);
    }
    if (ledgers.size() == LEDGERS_PER_CALL && stream.canDropBefore(search.needed)) {
      return OptionalLong.empty();
    }
    begun = null;
    return OptionalLong.of(search.needed);
  }

  private Search search(StrandIndex strand, Purge purge)
      throws IOException, CorruptStreamException {
    LedgerId ledger = strand.strand().ledger();
    Search search = begun;
    if (search == null || search.purge != purge.jsn() || !search.ledger.equals(ledger)) {
      long own = frameOf(strand, strand.heightOf(purge.firstLeaf()));
      search = new Search(ledger, purge.jsn(), own);
      begun = search;
      if (keeper != null) {
        look(search, keeper);
      }
    }
    return search;
  }

  private void look(Search search, LedgerId ledger) throws IOException {
    if (stream.canDropBefore(search.needed) && !ledger.equals(search.ledger)) {
      long needed = firstNeeded(ledger);
      if (Long.compareUnsigned(needed, search.needed) < 0) {
        search.needed = needed;
      }
      if (!stream.canDropBefore(search.needed)) {
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

  /// The first frame that a ledger needs which is not being purged.
  private long firstNeeded(LedgerId ledger) throws IOException {
    try {
      StrandIndex strand = indexer.strand(new StrandId(ledger, 0));
      for (Purge purge : strand.head().governance().removals().purges().reversed()) {
        if (erasures.isDone(ledger, purge.jsn())) {
          return frameOf(strand, strand.heightOf(purge.firstLeaf()));
        }
      }
      return frameOf(strand, 0);
    } catch (CorruptStreamException e) {
      return StreamStore.START.frame(); // its damage is told by whoever reads it
    }
  }

  private static long frameOf(StrandIndex strand, long height)
      throws IOException, CorruptStreamException {
    return strand.block(height).frame();
  }

  /// Height of the lowest block that lies in no dropped segment.
  long firstHeight(StrandIndex strand) throws IOException, CorruptStreamException {
    long low = 0;
    long high = stream.isDropped(StreamStore.START.frame()) ? strand.head().height() : 0;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (stream.isDropped(frameOf(strand, middle))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
