package io.tallystick.client;

import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;

/// That one journal of ours stands in the ledger: verified under the ledger's own keys, and its
/// head joined to all this client has trusted before.
///
/// @param timeMs the service's time of the commit, milliseconds since the epoch
/// @param leaf as it is hashed, rebuilt from our own request
/// @param repeated whether the service had committed it at an earlier attempt
public record VerifiedReceipt(
    Jsn jsn, long timeMs, Bytes leaf, Receipt receipt, SignedHead head, boolean repeated) {
  /// To keep: complete in itself, and readable by any verifier of COSE receipts.
  public ReceiptFile toFile() {
    return new ReceiptFile(leaf, receipt);
  }
}
