package io.tallystick.node;

import io.tallystick.journal.BodyState;
import io.tallystick.state.StateValue;
import java.util.Optional;

/// The value of an entry, as far as it can be read.
///
/// @param state `NONE` if the entry has no value or it was not asked for
/// @param value present when the state is `PRESENT`; its commitment was checked
public record ReadValue(BodyState state, Optional<StateValue> value) {
  /// The value of a key without one.
  public static final ReadValue NONE = new ReadValue(BodyState.NONE, Optional.empty());

  public static ReadValue of(StateValue value) {
    return new ReadValue(BodyState.PRESENT, Optional.of(value));
  }

  /// One that is damaged or erased.
  public static ReadValue missing(BodyState state) {
    return new ReadValue(state, Optional.empty());
  }

  public int sizeBytes() {
    return value.map(it -> it.value().size()).orElse(0);
  }
}
