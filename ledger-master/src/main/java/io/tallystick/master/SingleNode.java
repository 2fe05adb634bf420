package io.tallystick.master;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The placement of a service that is one process: every ledger on its one node.
record SingleNode(LedgerNode node) implements Placement {
  @Override
  public LedgerNode nodeOf(LedgerId ledger) {
    return node;
  }

  @Override
  public LedgerNode anyNode() {
    return node;
  }

  @Override
  public List<LedgerView> ledgers(@Nullable LedgerId after, int limit, LedgerFilter filter)
      throws RequestRejectedException {
    return node.ledgers(after, limit, filter);
  }
}
