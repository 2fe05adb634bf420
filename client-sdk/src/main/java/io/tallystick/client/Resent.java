package io.tallystick.client;

import io.tallystick.head.SignedHead;
import io.tallystick.model.Jsn;
import io.tallystick.receipt.ReceiptFile;
import java.util.List;

/// The outcome of a {@link PendingRequest} that was sent again: it was done, once.
public sealed interface Resent {
  /// The journals stand in the ledger, verified as those of an append.
  record Journals(List<Standing> journals) implements Resent {
    public Journals {
      journals = List.copyOf(journals);
    }
  }

  /// The ledger is founded and pinned.
  record Founded(LedgerHandle ledger) implements Resent {}

  /// One journal of ours.
  ///
  /// @param head the receipt is under
  /// @param repeated whether it was committed before it was sent again
  record Standing(Jsn jsn, long timeMs, SignedHead head, ReceiptFile receipt, boolean repeated) {
    public static Standing of(VerifiedReceipt receipt) {
      return new Standing(
          receipt.jsn(), receipt.timeMs(), receipt.head(), receipt.toFile(), receipt.repeated());
    }
  }
}
