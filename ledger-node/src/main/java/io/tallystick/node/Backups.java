package io.tallystick.node;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Copies all that a node keeps, while it goes on, for its operator. Source:
/// `docs/formats/backup.md`.
public interface Backups {
  /// Makes a backup. It is one when this returns: a directory without a manifest is none.
  ///
  /// @param directory absolute; made if there is none; empty
  /// @param last whether no node is to be opened on the data directory from now on: a backup that
  ///   is restored without a question. Only if nobody appends meanwhile
  /// @param progress is told on another thread, while the caller waits
  /// @throws IOException also if the directory is not empty, or `progress` throws; what was written
  ///   is deleted then
  /// @throws RequestRejectedException `UNAVAILABLE` if another one is being made; `DAMAGED` if the
  ///   log is
  Taken take(Path directory, boolean last, Progress progress)
      throws IOException, RequestRejectedException;

  /// Hears how far it has come.
  @FunctionalInterface
  interface Progress {
    /// @throws IOException if nobody wants the backup any more
    void isAt(long bytes, long all) throws IOException;
  }

  /// A backup that was made.
  ///
  /// @param bytes of all files
  /// @param nextFrame number of the first frame that it does not have
  /// @param damagedFrames of which bodies are damaged; the backup has them as they are
  record Taken(long bytes, long nextFrame, int damagedFrames, List<Head> heads) {
    public Taken {
      heads = List.copyOf(heads);
    }
  }

  /// How far a backup has a ledger.
  ///
  /// @param blocks that are sealed
  /// @param witnessed whether witnesses may have cosigned heads of it
  /// @param name empty if it is gone
  record Head(
      LedgerId ledger, long size, long blocks, Digest root, boolean witnessed, String name) {}
}
