package io.tallystick.proxy.read;

import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.StateHistory;
import io.tallystick.node.StateQuery;
import io.tallystick.node.StateReads;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Scope;
import java.util.List;

/// One caller's reads of one ledger's state. Every read checks the caller's access before it asks
/// the node; values are read with the right to read bodies. Heights are those of blocks, or {@link
/// StateReads#NEWEST}.
public record ReadableState(ReadAccess access, Bearer bearer, StrandId strand) {
  public ProvenState key(Bytes key, long height, boolean withValue)
      throws RequestRejectedException {
    return node(withValue).state(strand, key, height, withValue);
  }

  public ProvenStates keys(List<Bytes> keys, long height, boolean withValues)
      throws RequestRejectedException {
    return node(withValues).states(strand, keys, height, withValues);
  }

  /// Of an answer at a time, the block to read.
  ///
  /// @throws RequestRejectedException `TIME_OUT_OF_RANGE` too
  public BlockAtTime block(long timeMs) throws RequestRejectedException {
    return BlockAtTime.find(node(false), strand, timeMs);
  }

  public ProvenStatePage page(StateQuery query) throws RequestRejectedException {
    return node(query.withValues()).statePage(strand, query);
  }

  public StateHistory history(HistoryQuery query) throws RequestRejectedException {
    return node(query.withValues()).stateHistory(strand, query);
  }

  /// The size of the tree that a block ends.
  ///
  /// @param height of the block, or {@link StateReads#NEWEST}
  public long size(long height) throws RequestRejectedException {
    LedgerNode node = node(false);
    return height == StateReads.NEWEST
        ? node.newestSize(strand)
        : node.blockAt(strand, height).size();
  }

  private LedgerNode node(boolean withValues) throws RequestRejectedException {
    return access.node(strand.ledger(), bearer, withValues ? Scope.BODIES : Scope.EVIDENCE);
  }
}
