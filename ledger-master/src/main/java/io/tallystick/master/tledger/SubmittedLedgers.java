package io.tallystick.master.tledger;

import io.tallystick.model.LedgerId;
import java.util.Set;

/// The ledgers that opted in to submit heads: their ids and their pace become public.
///
/// @param listed empty: all but the T-Ledger
/// @param tLedger to which they go; it is never among them
public record SubmittedLedgers(Set<LedgerId> listed, LedgerId tLedger) {
  public SubmittedLedgers {
    listed = Set.copyOf(listed);
  }

  boolean include(LedgerId ledger) {
    return !ledger.equals(tLedger) && (listed.isEmpty() || listed.contains(ledger));
  }
}
