package io.tallystick.client;

import io.tallystick.api.v1.Ledger;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;

/// A ledger as its service lists it: nothing here is verified. {@link TallyClient#open} it to know.
///
/// @param size of the newest signed head
/// @param height of the newest block
/// @param newestTimeMs of the newest leaf
public record ListedLedger(
    LedgerId id, String name, String origin, long size, long height, long newestTimeMs) {
  static ListedLedger of(Ledger ledger) throws ProofRejectedException {
    return new ListedLedger(
        new LedgerId(WireBytes.digest("ledger id", ledger.getLedgerId())),
        ledger.getName(),
        ledger.getOrigin(),
        ledger.getSize(),
        ledger.getHeight(),
        ledger.getNewestTimeMs());
  }
}
