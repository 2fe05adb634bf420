package io.tallystick.server.shard;

import io.tallystick.journal.Extension;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.PurgeTerms;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Who must sign a purge: the service takes only a snapshot that it has made itself.
final class PurgeReading {
  private PurgeReading() {}

  /// @throws RequestRejectedException `SNAPSHOT_UNKNOWN`; `TARGET_INVALID` if the snapshot is of
  ///   another block
  static PurgeTerms of(StrandIndex strand, SnapshotRows snapshots, Extension.Purge purge)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SnapshotRows.Held held =
        snapshots
            .pin(strand.strand().ledger(), purge.height(), purge.snapshotDigest())
            .orElseThrow(() ->
                new RequestRejectedException(
                    RejectionCode.SNAPSHOT_UNKNOWN,
                    "no snapshot with digest %s is held; prepare the purge again"
                        .formatted(purge.snapshotDigest())));
    Snapshot snapshot = held.snapshot();
    if (!snapshot.firstKept().equals(purge.firstKept())) {
      throw new RequestRejectedException(
              RejectionCode.TARGET_INVALID,
              "the snapshot is of block %d with %s the first kept, the purge of %d with %s"
                  .formatted(
                      snapshot.height(), snapshot.firstKept(), purge.height(), purge.firstKept()))
          .atJsn(purge.firstKept().value());
    }
    return new PurgeTerms(snapshot.affected(), snapshot.absent(), held.from());
  }
}
