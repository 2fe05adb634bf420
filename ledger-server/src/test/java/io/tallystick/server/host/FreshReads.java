package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LogRead;
import io.tallystick.server.shard.OwnerLease;
import io.tallystick.server.shard.Shard;

/// The reads of a node whose answers depend on there being no more, for a simulator that has the
/// shard alone.
public final class FreshReads {
  private final Shard shard;
  private final StrandReads strands;

  public FreshReads(Shard shard) {
    this.shard = shard;
    this.strands = new StrandReads(shard);
  }

  /// The newest head, signed.
  public Bytes newest(StrandId strand) throws RequestRejectedException {
    OwnerLease lease = shard.lease();
    Bytes newest = strands.read(strand, index -> shard.evidence().checkpoint(index, index.head()));
    StrandReads.checkOwner(new LogRead.Checkpoint(strand), lease);
    return newest;
  }

  /// @throws RequestRejectedException `FUTURE_SIZE` if the ledger is not that large
  public void checkSize(StrandId strand, long size) throws RequestRejectedException {
    var _ = strands.read(strand, index -> StrandReads.sizeOrNewest(index, size));
  }

  /// @throws RequestRejectedException `OUT_OF_RANGE` if there is no such journal
  public void checkJsn(StrandId strand, long jsn) throws RequestRejectedException {
    strands.<Boolean>read(
        strand,
        index -> {
          StrandReads.checkJsn(index, jsn);
          return true;
        });
  }

  /// @throws RequestRejectedException `UNKNOWN_LEDGER` if there is no such ledger
  public void checkKnown(LedgerId ledger) throws RequestRejectedException {
    strands.<Boolean>read(new StrandId(ledger, 0), _ -> true);
  }
}
