package io.tallystick.node;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.List;

/// The calls that a purge needs before it is asked for, and those that read what stands in the
/// place of what it removed. Every method may block on a disk. Thread-safe.
public interface LedgerPurges {
  /// Makes the snapshot that a purge up to the seal of a block names, and keeps it. Whoever signs
  /// the purge makes it again from the log and compares.
  ///
  /// @param height of the last block that would go
  /// @param absent kids of affected members who do not sign
  /// @return the encoded {@link io.tallystick.removal.Snapshot}
  /// @throws RequestRejectedException `OUT_OF_RANGE`, `PURGE_TOO_LOW`, `PURGE_UNANCHORED`,
  ///   `FEATURE_FORBIDS`; `TARGET_INVALID` if one is absent who is not affected
  Bytes prepare(StrandId strand, long height, List<Digest> absent) throws RequestRejectedException;

  /// With what the log begins: the encoded {@link io.tallystick.removal.PseudoGenesis}.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if nothing was purged
  Bytes pseudoGenesis(StrandId strand) throws RequestRejectedException;

  /// The entries of its snapshot's window, ascending and side by side.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if nothing was purged
  Bytes window(StrandId strand) throws RequestRejectedException;

  /// A part of the file of the clues up to where the log begins: `snapshot/clues` in
  /// `docs/formats/tiles.md`.
  ///
  /// @param firstKept where the log begins, so that all parts are of one purge; 0: wherever it does
  /// @param offset in the file
  /// @param bytesMax positive; the last part may be shorter, or empty
  /// @throws RequestRejectedException `OUT_OF_RANGE` if nothing was purged, if the log begins
  ///   elsewhere, if it had no clues, or if `offset` is above the length of the file
  FilePart clues(StrandId strand, long firstKept, long offset, int bytesMax)
      throws RequestRejectedException;

  /// A part of the file of the state as of the seal behind which the log begins: `snapshot/state`
  /// in `docs/formats/tiles.md`. The parameters are those of {@link #clues}.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if nothing was purged, if the log begins
  ///   elsewhere, if the state was empty there, or if `offset` is above the length of the file
  FilePart state(StrandId strand, long firstKept, long offset, int bytesMax)
      throws RequestRejectedException;

  /// @param firstKept where the log begins
  /// @param fileBytes length of the whole file
  record FilePart(long firstKept, long fileBytes, Bytes bytes) {}
}
