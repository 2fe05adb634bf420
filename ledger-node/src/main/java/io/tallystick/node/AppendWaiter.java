package io.tallystick.node;

import io.tallystick.model.Bytes;
import io.tallystick.node.AppendTicket.Committed;
import java.util.List;

/// Is told the outcome of a submission: exactly once a receipt or a failure, before that perhaps
/// the commit. It is called on threads of the shard, so it must be short and must not wait.
public interface AppendWaiter {
  /// Where receipts go. Submissions of one stream that follow each other in a block share one
  /// receipt.
  Stream stream();

  /// Whether {@link #committed} is of any use; most wait for the receipt.
  boolean wantsCommitted();

  /// Durable, not yet evidence.
  void committed(Committed outcome);

  /// Refused, or of unknown outcome; never followed by a receipt.
  void failed(Throwable cause);

  /// A stream that several waiters have in common.
  interface Stream {
    void receipted(ReceiptedRun run);
  }

  /// Neighbours in a block under one range receipt.
  ///
  /// @param waiters of one stream, in order of jsn
  /// @param committed what each became, in the same order, without gaps in the jsns
  /// @param rangeReceipt canonical bytes; covers exactly the journals of all of them
  record ReceiptedRun(List<AppendWaiter> waiters, List<Committed> committed, Bytes rangeReceipt) {}
}
