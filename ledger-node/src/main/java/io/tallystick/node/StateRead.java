package io.tallystick.node;

import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import java.util.List;

/// The questions of {@link StateReads}, where each is described.
public sealed interface StateRead<R> extends NodeRead<R> {
  StrandId strand();

  /// {@link StateReads#state}.
  record Key(StrandId strand, Bytes key, long height, boolean withValue)
      implements StateRead<ProvenState> {}

  /// {@link StateReads#states}.
  record Keys(StrandId strand, List<Bytes> keys, long height, boolean withValues)
      implements StateRead<ProvenStates> {
    public Keys {
      keys = List.copyOf(keys);
    }
  }

  /// {@link StateReads#statePage}.
  record Page(StrandId strand, StateQuery query) implements StateRead<ProvenStatePage> {}

  /// {@link StateReads#stateHistory}.
  record History(StrandId strand, HistoryQuery query) implements StateRead<StateHistory> {}
}
