package io.tallystick.master.tledger;

import io.tallystick.model.StrandId;
import io.tallystick.node.AnchoredAt;

/// Who is told how submissions to a T-Ledger end, for logs and metrics. Must not block.
public interface TLedgerWatch {
  /// The entry's time journal is durable.
  void anchored(StrandId strand, AnchoredAt landed);

  /// Whether the T-Ledger contradicted itself before, in this run or an earlier one: no head is
  /// submitted to it any more.
  boolean contradicted();

  /// The T-Ledger contradicts a head that it gave before. The evidence is kept for good, and {@link
  /// #contradicted} holds from now on.
  void contradicted(StrandId strand, ContradictedException contradiction);

  /// A head was not taken, or what came back does not hold.
  void failed(StrandId strand, Exception failure);
}
