package io.tallystick.node;

import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.List;

/// Reads of a ledger's state, each with its proof. {@link LedgerNode} says what the refusals mean.
/// Every read is refused with `FEATURE_NOT_ENABLED` if the ledger has no state, `OUT_OF_RANGE` with
/// the newest height for a block that is not sealed yet, `PRUNED` with the oldest height kept for
/// one whose version of the state is gone.
public interface StateReads extends NodeDoor {
  /// As height: the newest sealed block.
  long NEWEST = -1;

  /// The entry of a key in the state of a block.
  ///
  /// @param key 1 to 256 bytes; `OPERATION_INVALID` otherwise
  /// @param height of the block, or {@link #NEWEST}
  /// @param withValue whether the value is read
  default ProvenState state(StrandId strand, Bytes key, long height, boolean withValue)
      throws RequestRejectedException {
    return ask(new StateRead.Key(strand, key, height, withValue));
  }

  /// The entries of several keys in the state of a block, in key order: of all, or of the first
  /// ones where proof or values would be too large.
  ///
  /// @param keys 1 to {@link StateLookups#KEYS_MAX} in any order, each of 1 to 256 bytes and given
  ///   once; `OPERATION_INVALID` otherwise, with the index of the key that is not as it must be
  /// @param height of the block, or {@link #NEWEST}
  /// @param withValues whether the values are read
  default ProvenStates states(StrandId strand, List<Bytes> keys, long height, boolean withValues)
      throws RequestRejectedException {
    return ask(new StateRead.Keys(strand, keys, height, withValues));
  }

  /// A page of the keys that have a value.
  ///
  /// @throws RequestRejectedException `MALFORMED` if the range is empty
  default ProvenStatePage statePage(StrandId strand, StateQuery query)
      throws RequestRejectedException {
    return ask(new StateRead.Page(strand, query));
  }

  /// The writes of a key, newest first, from the journals: no version of the state needs to be kept
  /// for them.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if no head was signed at that size;
  ///   `FUTURE_SIZE`
  default StateHistory stateHistory(StrandId strand, HistoryQuery query)
      throws RequestRejectedException {
    return ask(new StateRead.History(strand, query));
  }
}
