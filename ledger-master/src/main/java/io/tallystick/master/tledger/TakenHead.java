package io.tallystick.master.tledger;

import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;

/// A head that stands in a T-Ledger.
///
/// @param receiptFile type 9, of the entry
/// @param salt and body that open its commitment
public record TakenHead(LedgerId tLedger, Bytes receiptFile, Bytes salt, Bytes body) {
  /// As the time journal of the submitter shows it.
  public TimeProof.TLedger proof() {
    return new TimeProof.TLedger(tLedger, receiptFile, salt, body);
  }
}
