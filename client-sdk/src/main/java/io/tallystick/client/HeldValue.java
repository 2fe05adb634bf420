package io.tallystick.client;

import com.google.protobuf.ByteString;
import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.state.StateValue;
import java.util.Optional;

/// The value of a proven entry, as far as the service can give it; if it gives it, it is the one
/// that the entry commits to.
///
/// @param state `NONE` where the key has no value; else `PRESENT`, or the service's word that it is
///   `ERASED` or `DAMAGED`
/// @param opened present when the state is `PRESENT`
record HeldValue(BodyState state, Optional<StateValue> opened) {
  /// Of a key that has none.
  static final HeldValue NONE = new HeldValue(BodyState.NONE, Optional.empty());

  /// @param entry of a key that has a value
  static HeldValue read(StateEntry entry, io.tallystick.api.v1.BodyState said, ByteString encoded)
      throws ProofRejectedException, MalformedException {
    return switch (said) {
      case BODY_PRESENT -> {
        StateValue value = StateValue.decode(WireBytes.bytes(encoded));
        value.verify(entry);
        yield new HeldValue(BodyState.PRESENT, Optional.of(value));
      }
      case BODY_ERASED -> new HeldValue(BodyState.ERASED, Optional.empty());
      case BODY_DAMAGED -> new HeldValue(BodyState.DAMAGED, Optional.empty());
      case BODY_NONE, BODY_STATE_UNSPECIFIED, UNRECOGNIZED ->
          throw new ProofRejectedException(
              Reason.MISSING, "key " + entry.key() + " has a value, the answer says of it " + said);
    };
  }

  /// @param entry whose value it is
  StateValue of(StateEntry entry) throws ValueUnavailableException {
    if (opened.isEmpty()) {
      throw new ValueUnavailableException(Printable.name(entry.key()), state, entry.jsn());
    }
    return opened.get();
  }
}
