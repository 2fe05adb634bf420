package io.tallystick.master;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where ledgers live. A placement names a node without asking it: whether that node really holds
/// the ledger is the node's own answer. Thread-safe; never blocks.
public interface Placement {
  /// The node that holds `ledger`, or would found it.
  LedgerNode nodeOf(LedgerId ledger);

  /// The node that answers for the service itself: identity and clock.
  LedgerNode anyNode();

  /// Ledgers of all nodes that `filter` lets through, with an id greater than `after` (null: from
  /// the first), ascending.
  List<LedgerView> ledgers(@Nullable LedgerId after, int limit, LedgerFilter filter)
      throws RequestRejectedException;

  /// Everything on one node.
  static Placement onOneNode(LedgerNode node) {
    return new SingleNode(node);
  }
}
