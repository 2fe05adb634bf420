package io.tallystick.master.tledger;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;

/// Who may submit heads to a T-Ledger, and how many. Thread-safe.
@FunctionalInterface
public interface SubmitterRule {
  /// Anybody, without limit: for who calls the writer in the same process.
  SubmitterRule ANYBODY = (_, _, _) -> () -> {};

  /// The place that a head takes once it was found to be the ledger's own.
  @FunctionalInterface
  interface Place {
    /// @throws RequestRejectedException `RATE_LIMITED`; nothing was taken then
    void take() throws RequestRejectedException;
  }

  /// To be asked before anything of the head is verified.
  ///
  /// @param caller who brought the head, and its invitation
  /// @param known whether the T-Ledger holds a head of the ledger
  /// @throws RequestRejectedException `SUBMITTER_NOT_ALLOWED`; `RATE_LIMITED` if no place is left
  Place admit(LedgerId ledger, Caller caller, boolean known) throws RequestRejectedException;

  /// Who brings a head.
  ///
  /// @param address of the caller, without its port; empty if it is not known
  /// @param invitation as sent; empty if there is none
  record Caller(String address, String invitation) {
    public static final Caller NONE = new Caller("", "");

    /// The invitation is a secret.
    @Override
    public String toString() {
      return "Caller[" + address + "]";
    }
  }
}
