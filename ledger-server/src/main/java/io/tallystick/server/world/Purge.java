package io.tallystick.server.world;

import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.tile.TilePath;
import java.util.Locale;

/// A purge that was committed and not recalled.
///
/// @param jsn its own
/// @param firstKept the lowest jsn that stays
/// @param height of the block whose seal is `firstKept` − 1
/// @param timeMs of its leaf
/// @param snapshot the digest of the snapshot that it names
/// @param recallMs how long it can be recalled
public record Purge(
    long jsn, long firstKept, long height, Digest snapshot, long timeMs, long recallMs) {
  private static final long BUNDLE = TilePath.WIDTH;

  /// The last time of a leaf that may recall it, unless its erasing has begun.
  public long recallUntilMs() {
    return timeMs + recallMs;
  }

  /// The refusal of a purge that does not go beyond this one.
  ///
  /// @param wanted its `firstKept`, at most the jsn of this one
  public RequestRejectedException tooLow(long wanted) {
    return new RequestRejectedException(
            RejectionCode.PURGE_TOO_LOW,
            String.format(
                Locale.ROOT,
                "firstKept is %d; it needs to be above the last purge, %d",
                wanted,
                jsn))
        .atJsn(jsn)
        .withLimit(jsn);
  }

  /// The refusal of what asks for a journal that this purge removed.
  ///
  /// @param kept the first that is kept now; above `firstKept` if another purge followed
  RequestRejectedException removed(long wanted, long kept) {
    return new RequestRejectedException(
            RejectionCode.PURGED,
            String.format(
                Locale.ROOT,
                "journal %d was removed by purge %d; the first that is kept is %d",
                wanted,
                jsn,
                kept))
        .atJsn(jsn)
        .withLimit(kept);
  }

  /// The refusal of what asks for a ledger that this purge deleted.
  ///
  /// @param closedJsn of the journal that closed the ledger
  RequestRejectedException deletedLedger(long closedJsn, long kept) {
    return new RequestRejectedException(
            RejectionCode.PURGED,
            String.format(
                Locale.ROOT,
                "the ledger was deleted: journal %d closed it, purge %d removed all below %d",
                closedJsn,
                jsn,
                kept))
        .atJsn(jsn)
        .withLimit(kept);
  }

  /// The lowest jsn whose leaf stays: the bundle that `firstKept` lies in stays whole.
  public long firstLeaf() {
    return firstKept - firstKept % BUNDLE;
  }
}
