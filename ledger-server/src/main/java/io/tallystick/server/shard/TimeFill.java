package io.tallystick.server.shard;

import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.ProvenTime;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.TimeRows;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.seal.TimeRequest;
import io.tallystick.server.world.NewestTime;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the rows of time journals that savepoints of before such rows lack, once: when the shard
/// opens, before a frame is replayed. Strands whose journals cannot be read keep no shard from
/// opening; the next opening tries again.
final class TimeFill {
  private static final Logger LOG = LoggerFactory.getLogger(TimeFill.class);

  private final MetaStore meta;
  private final TimeRows rows;
  private final Indexer indexer;
  private final LogReader log;
  private final int awakeMax;

  /// @param awakeMax strands whose arrays may stay open
  TimeFill(MetaStore meta, Indexer indexer, LogReader log, int awakeMax) {
    this.meta = meta;
    this.rows = new TimeRows(meta);
    this.indexer = indexer;
    this.log = log;
    this.awakeMax = awakeMax;
  }

  void fill() throws IOException, CorruptStreamException {
    if (rows.areWhole()) {
      return;
    }
    boolean whole = true;
    for (SavedWorld.SavedLedger saved : SavedWorld.ledgers(meta)) {
      Optional<NewestTime> newest = saved.governance().newestTime();
      if (newest.isPresent()) {
        whole &= fill(new StrandId(saved.ledger().id(), 0), newest.get().jsn());
        indexer.rest(awakeMax);
      }
    }
    if (whole) {
      rows.setWhole();
    }
  }

  private boolean fill(StrandId id, long newest) throws IOException {
    try {
      return fill(indexer.strand(id), newest);
    } catch (CorruptStreamException e) { // whoever reads the strand is told, too
      LOG.warn("time journals of {} cannot be found by time: {}", id, e.getMessage());
      return false;
    }
  }

  /// Follows the chain of time journals back to the newest that has a row.
  ///
  /// @return whether no row is missing
  private boolean fill(StrandIndex strand, long newest) throws IOException {
    List<ProvenTime> missing = new ArrayList<>();
    boolean whole = true;
    Optional<Long> next = Optional.of(newest);
    try {
      while (next.isPresent()) {
        RequestHeader header = header(strand, next.get());
        ProvenTime time = new ProvenTime(next.get(), TimeRequest.genTimeMs(header));
        if (rows.contains(strand.strand(), time)) {
          break;
        }
        missing.add(time);
        next =
            header.extension() instanceof Extension.Time chained
                ? chained.previous().map(previous -> previous.jsn().value())
                : Optional.empty();
      }
    } catch (RequestRejectedException e) {
      // Of those below a purge it carries the newest only.
      whole = e.code() == RejectionCode.PURGED;
      if (!whole) {
        LOG.warn(
            "time journals of {} cannot be found by time: {}", strand.strand(), e.getMessage());
        strand.times().lack(e);
      }
    }
    if (whole) {
      rows.add(strand.strand(), missing.reversed());
    }
    return whole;
  }

  private RequestHeader header(StrandIndex strand, long jsn) throws RequestRejectedException {
    try {
      if (Leaf.decode(log.journal(strand, jsn, false).leaf()) instanceof JournalLeaf leaf) {
        return RequestHeader.decode(leaf.header());
      }
      throw new MalformedException("it is no journal");
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "time journal " + jsn + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "time journal " + jsn + ": " + e.getMessage(), e);
    }
  }
}
