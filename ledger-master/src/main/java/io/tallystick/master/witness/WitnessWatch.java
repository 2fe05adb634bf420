package io.tallystick.master.witness;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;

/// Who is told what witnesses say, for logs and metrics. Called from several threads; must not
/// block.
public interface WitnessWatch {
  /// A witness has cosigned a head.
  void cosigned(LedgerId ledger, String witness);

  /// A witness gave no usable answer; it is asked again in a later round.
  void failed(LedgerId ledger, WitnessFailedException failure);

  /// A witness has cosigned a head that is not in the ledger's log: it is read-only from now on.
  void contradicted(LedgerId ledger, WitnessStatus.Contradiction contradiction);

  /// The node does not show the head of a ledger.
  void unreadable(LedgerId ledger, RequestRejectedException refusal);

  /// A round ended early by a fault of ours; the next one begins in a while.
  void faulted(Exception fault);
}
