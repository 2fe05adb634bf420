package io.tallystick.audit.export;

import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.finding.CompactRange;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/// With what the export of a log begins whose prefix was purged.
///
/// @param shown as the source shows it, to be written beside the log
/// @param beginning the same, verified
record ExportStart(PurgedStart shown, Beginning beginning) {
  /// The verified beginning that a source shows; empty if it has the whole log.
  ///
  /// @throws LogFormatException unless all of it holds
  static Optional<ExportStart> of(StrandId pinned, LogSource source, Signatures signatures)
      throws IOException, LogFormatException {
    Optional<PurgedStart> shown = source.purged();
    if (shown.isEmpty()) {
      return Optional.empty();
    }
    try {
      Beginning beginning = Beginning.verify(shown.get(), pinned, source.keyChain(), signatures);
      return Optional.of(new ExportStart(shown.get(), beginning));
    } catch (FaultException e) {
      throw LogFormatException.malformed(e);
    }
  }

  /// The lowest jsn that was not purged.
  long firstKept() {
    return beginning.firstKept();
  }

  /// The first leaf of the bundle that it lies in, which stays whole.
  long firstLeaf() {
    return firstKept() / TilePath.WIDTH * TilePath.WIDTH;
  }

  /// To be asked at each size.
  ///
  /// @throws ProofRejectedException if the purge names another tree than the log has
  void checkFrontier(long size, CompactRange tree) throws ProofRejectedException {
    if (size == firstKept() - 1 && !tree.subtrees().equals(beginning.snapshot().frontier())) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH,
          String.format(
              Locale.ROOT,
              "at size %d the log has root %s, the snapshot that its purge names has another",
              size,
              tree.root()));
    }
  }
}
