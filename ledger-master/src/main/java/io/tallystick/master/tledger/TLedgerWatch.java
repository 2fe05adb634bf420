package io.tallystick.master.tledger;

import io.tallystick.model.StrandId;
import io.tallystick.node.AnchoredAt;

/// Who is told how submissions to a T-Ledger end, for logs and metrics. Must not block.
public interface TLedgerWatch {
  /// The entry's time journal is durable.
  void anchored(StrandId strand, AnchoredAt landed);

  /// A head was not taken, or what came back does not hold.
  void failed(StrandId strand, Exception failure);
}
