package io.tallystick.master.duty;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptProposal;

/// Sees to it that a proposal which has the signatures it needs is submitted. Thread-safe.
public interface CompleteProposals extends AutoCloseable {
  /// Returns once the outcome is known, or later than a client waits.
  ///
  /// @param kept that is being submitted
  /// @return as it is kept afterwards
  KeptProposal submit(KeptProposal kept) throws RequestRejectedException;

  @Override
  void close();
}
