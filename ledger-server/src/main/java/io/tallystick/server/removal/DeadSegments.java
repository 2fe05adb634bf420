package io.tallystick.server.removal;

import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The first segments of a shard's stream in which no ledger has anything left: they are dropped as
/// whole files. A ledger needs the segments from its first block on; after a purge, from the block
/// that holds the first leaf which stays. Source: `docs/formats/commit-frame.md`, "Dropped
/// segments".
final class DeadSegments {
  /// A shard with more ledgers drops none: each would have to be looked at.
  static final int LEDGERS_MAX = 64;

  private final MetaStore meta;
  private final StreamEraser stream;
  private final Indexer indexer;

  DeadSegments(MetaStore meta, StreamEraser stream, Indexer indexer) {
    this.meta = meta;
    this.stream = stream;
    this.indexer = indexer;
  }

  /// The first segment that is needed once a purge is carried out; all before it may be dropped
  /// when the erasing has begun. Later calls give the same or a later one: a ledger that is founded
  /// meanwhile begins at the stream's end.
  int firstNeeded(StrandIndex strand, Purge purge) throws IOException, CorruptStreamException {
    int needed = segmentOf(strand, strand.heightOf(purge.firstLeaf()));
    List<LedgerId> ledgers = ledgers();
    if (ledgers.size() > LEDGERS_MAX) {
      return stream.firstSegment();
    }
    for (LedgerId ledger : ledgers) {
      if (needed > stream.firstSegment() && !ledger.equals(strand.strand().ledger())) {
        needed = Math.min(needed, firstNeeded(ledger));
      }
    }
    return needed;
  }

  /// The saved ledgers, or some, if there are too many. One that is not saved yet was founded
  /// behind the savepoint, and so behind every purge that is erased.
  private List<LedgerId> ledgers() throws IOException {
    List<LedgerId> ledgers = new ArrayList<>();
    meta.scan(
        WorldRows.LEDGERS,
        null,
        (key, _) -> {
          ledgers.add(WorldRows.ledgerOf(key));
          return ledgers.size() <= LEDGERS_MAX;
        });
    return ledgers;
  }

  /// Of a ledger that is not being purged.
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
    return StreamEraser.segmentOf(strand.block(height).frame());
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
