package io.tallystick.server.shard;

import io.tallystick.journal.Extension;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.PurgeTerms;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/// Who must sign a purge: the service takes only a snapshot that it has made itself.
final class PurgeReading {
  private PurgeReading() {}

  /// @throws RequestRejectedException `SNAPSHOT_UNKNOWN`; `TARGET_INVALID` if the snapshot is of
  ///   another block
  static PurgeTerms of(StrandIndex strand, SnapshotRows snapshots, Extension.Purge purge)
      throws IOException, CorruptStreamException, RequestRejectedException {
    LedgerId ledger = strand.strand().ledger();
    Optional<SnapshotRows.Held> pinned =
        snapshots.pin(ledger, purge.height(), purge.snapshotDigest());
    if (pinned.isEmpty()) {
      throw unknown(snapshots.holds(ledger, purge.snapshotDigest()), purge);
    }
    SnapshotRows.Held held = pinned.get();
    Snapshot snapshot = held.snapshot();
    if (!snapshot.firstKept().equals(purge.firstKept())) {
      throw new RequestRejectedException(
              RejectionCode.TARGET_INVALID,
              String.format(
                  Locale.ROOT,
                  "the snapshot is of block %d with %s the first kept, the purge of %d with %s",
                  snapshot.height(),
                  snapshot.firstKept(),
                  purge.height(),
                  purge.firstKept()))
          .atJsn(purge.firstKept().value());
    }
    return new PurgeTerms(snapshot.affected(), snapshot.absent(), held.from());
  }

  private static RequestRejectedException unknown(boolean otherHeight, Extension.Purge purge) {
    return otherHeight
        ? new RequestRejectedException(
            RejectionCode.TARGET_INVALID,
            String.format(
                Locale.ROOT,
                "the snapshot with digest %s is of another block than %d",
                purge.snapshotDigest(),
                purge.height()))
        : new RequestRejectedException(
            RejectionCode.SNAPSHOT_UNKNOWN,
            String.format(
                Locale.ROOT,
                "no snapshot with digest %s is held; prepare the purge again",
                purge.snapshotDigest()));
  }
}
