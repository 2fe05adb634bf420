package io.tallystick.server.host;

import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.NodeRead;
import io.tallystick.node.StateHistory;
import io.tallystick.server.seal.OccultTargets;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.FailedReads;
import io.tallystick.server.shard.OwnerLease;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.world.Governance;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Locale;

/// Reads of single strands of a shard, whose failures become refusals. Thread-safe.
final class StrandReads {
  /// Journals of a clue that are looked at to say whether a proposed occult is still possible.
  private static final int TARGETS_TRIED_MAX = 1000;

  private final Shard shard;

  StrandReads(Shard shard) {
    this.shard = shard;
  }

  /// One read of a strand that has at least one sealed block.
  interface StrandRead<T> {
    T from(StrandIndex strand) throws IOException, CorruptStreamException, RequestRejectedException;
  }

  /// @throws RequestRejectedException `UNKNOWN_LEDGER`, `OUT_OF_RANGE` for a strand that the ledger
  ///   does not have, `UNAVAILABLE`, `DAMAGED`; and what `read` refuses
  <T> T read(StrandId strand, StrandRead<T> read) throws RequestRejectedException {
    OwnerLease lease = shard.lease();
    if (shard.sequencer().head(strand.ledger()) == null) {
      throw knownToEnd(unknown(strand.ledger()), lease);
    }
    if (strand.strand() != 0) {
      throw outOfRange("strand", strand.strand(), 1);
    }
    if (!shard.isReadable()) {
      throw notOpen();
    }
    FailedReads failed = shard.failedReads();
    long openings = failed.openings();
    try {
      StrandIndex index = shard.indexer().strand(strand);
      if (index.head().blocks() == 0) {
        throw unknown(strand.ledger()); // founded, but its genesis is not sealed yet
      }
      return placed(index, read);
    } catch (RequestRejectedException e) {
      throw e.code() == RejectionCode.DAMAGED
          ? failed.damaged(strand, openings, e)
          : knownToEnd(e, lease);
    } catch (IOException e) {
      throw failed.failed(openings, e);
    } catch (CorruptStreamException e) {
      throw failed.damaged(strand, openings, e);
    }
  }

  private RequestRejectedException notOpen() {
    Throwable why = shard.stopped();
    String detail = "the shard did not open again";
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, why == null ? detail : detail + ": " + why.getMessage());
  }

  /// To be called when an answer is made.
  ///
  /// @param lease that the shard had before anything was read
  /// @throws RequestRejectedException `UNAVAILABLE` if the answer may be another by now
  static void checkOwner(NodeRead<?> read, OwnerLease lease) throws RequestRejectedException {
    if (OwnersAnswers.include(read)) {
      lease.await();
    }
  }

  /// A refusal that says that there is no more than this shard knows is one only while that is
  /// sure.
  private static RequestRejectedException knownToEnd(
      RequestRejectedException refusal, OwnerLease lease) {
    boolean saysNoMore =
        switch (refusal.code()) {
          case UNKNOWN_LEDGER, OUT_OF_RANGE, FUTURE_SIZE -> true;
          default -> false;
        };
    if (saysNoMore) {
      try {
        lease.await();
      } catch (RequestRejectedException unsure) {
        return unsure;
      }
    }
    return refusal;
  }

  private <T> T placed(StrandIndex index, StrandRead<T> read)
      throws IOException, CorruptStreamException, RequestRejectedException {
    try {
      return read.from(index);
    } catch (RequestRejectedException e) {
      throw e.code() == RejectionCode.DAMAGED ? shard.log().faults().placed(index, e) : e;
    }
  }

  /// See {@link io.tallystick.node.StateReads#stateHistory}.
  StateHistory history(StrandId strand, HistoryQuery query) throws RequestRejectedException {
    return read(
        strand, index -> shard.state().history(index, query, sizeOrNewest(index, query.size())));
  }

  static RequestRejectedException unknown(LedgerId id) {
    return new RequestRejectedException(
        RejectionCode.UNKNOWN_LEDGER, "no ledger " + id + " on this service");
  }

  static void checkJsn(StrandIndex index, long jsn) throws RequestRejectedException {
    long size = index.head().size();
    if (jsn < 0 || jsn >= size) {
      throw outOfRange("leaf", jsn, size);
    }
  }

  static void checkBlock(StrandIndex index, long height) throws RequestRejectedException {
    long blocks = index.head().blocks();
    if (height < 0 || height >= blocks) {
      throw outOfRange("block", height, blocks);
    }
  }

  static RequestRejectedException outOfRange(String what, long value, long end) {
    return new RequestRejectedException(
            RejectionCode.OUT_OF_RANGE,
            String.format(
                Locale.ROOT, "%s %d does not exist; the newest is %d", what, value, end - 1))
        .withLimit(end - 1);
  }

  /// @return `index`
  /// @throws RequestRejectedException as {@link io.tallystick.node.LedgerNode#checkPossible}
  static StrandIndex checkPossible(StrandIndex index, RequestHeader header)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Governance governance = index.head().governance();
    if (header.extension() instanceof Extension.Occult(ErasureTarget target, String _)) {
      governance
          .removals()
          .checkTargets(OccultTargets.lowest(index, target, Long.MAX_VALUE, TARGETS_TRIED_MAX));
    } else {
      governance.checkOpen(header);
    }
    return index;
  }

  /// @param size 0: the newest
  static long coveringSize(StrandIndex index, long jsn, long size) throws RequestRejectedException {
    long treeSize = sizeOrNewest(index, size);
    if (jsn < 0 || jsn >= treeSize) {
      throw outOfRange("leaf", jsn, treeSize);
    }
    return treeSize;
  }

  /// @param toSize 0: the newest
  /// @return the size to which a tree of `fromSize` leaves has grown
  static long reachedSize(StrandIndex index, long fromSize, long toSize)
      throws RequestRejectedException {
    long to = sizeOrNewest(index, toSize);
    if (fromSize < 1 || fromSize > to) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE, "from size " + fromSize + ", want 1 to " + to)
          .withLimit(to);
    }
    return to;
  }

  static long sizeOrNewest(StrandIndex index, long size) throws RequestRejectedException {
    long newest = index.head().size();
    if (size > newest || size < 0) {
      throw new RequestRejectedException(
              RejectionCode.FUTURE_SIZE, "size " + size + ", the newest head has " + newest)
          .withLimit(newest);
    }
    return size == 0 ? newest : size;
  }
}
