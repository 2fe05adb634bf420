package io.tallystick.cluster.proxy;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.LedgerNode;
import java.util.List;
import java.util.Optional;

/// Finds the server that owns a ledger's shard now. Thread-safe.
public interface Routes {
  /// @throws RequestRejectedException `UNKNOWN_LEDGER`; `UNAVAILABLE` if the shard has no owner
  ///   that can be reached, or where the ledger is cannot be found out
  LedgerNode of(LedgerId ledger) throws RequestRejectedException;

  /// The same for a ledger that may not be there yet.
  ///
  /// @throws RequestRejectedException `UNAVAILABLE`
  LedgerNode toFound(LedgerId ledger) throws RequestRejectedException;

  /// The owners of all shards.
  ///
  /// @throws RequestRejectedException `UNAVAILABLE` if one cannot be reached: what all are asked
  ///   for would lack its part
  List<LedgerNode> all() throws RequestRejectedException;

  /// The owners that are known, of those shards that have any.
  List<LedgerNode> reached();

  /// Who follows the ledger's shard, if it is asked for that; empty if nobody does who is known.
  ///
  /// @throws RequestRejectedException `UNAVAILABLE` if where the ledger is cannot be found out
  default Optional<FollowerDoor> follower(LedgerId ledger) throws RequestRejectedException {
    return Optional.empty();
  }
}
