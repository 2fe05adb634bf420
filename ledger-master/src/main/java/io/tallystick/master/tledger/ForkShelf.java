package io.tallystick.master.tledger;

import io.tallystick.evidence.ForkEvidence;
import io.tallystick.model.LedgerId;

/// Where evidence of forks is kept that submitters gave of themselves.
@FunctionalInterface
public interface ForkShelf {
  /// Keeps it for good; called once for each head that was refused for it.
  ///
  /// @throws java.io.UncheckedIOException if it cannot be kept
  void keep(LedgerId submitter, ForkEvidence evidence);
}
