package io.tallystick.master.tledger;

import io.tallystick.evidence.ForkEvidence;
import io.tallystick.model.LedgerId;

/// Where evidence of forks is kept that submitters gave of themselves: once for each of them, since
/// the first fork says all.
public interface ForkShelf {
  /// A head was refused that contradicts the submitter's last one. Called each time.
  ///
  /// @return whether evidence is wanted; if not, there is some of this submitter already, or no
  ///   room
  boolean wants(LedgerId submitter);

  /// Keeps it for good; called only when it is wanted.
  ///
  /// @throws java.io.UncheckedIOException if it cannot be kept
  void keep(LedgerId submitter, ForkEvidence evidence);
}
