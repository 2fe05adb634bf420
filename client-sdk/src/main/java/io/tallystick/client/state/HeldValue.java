package io.tallystick.client.state;

import com.google.protobuf.ByteString;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.journal.ErasedBody;
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
/// @param state `NONE` where the key has no value; else `PRESENT`, `ERASED`, or the service's word
///   that it is `DAMAGED`
/// @param opened present when the state is `PRESENT`
/// @param erased by what, verified; present when the state is `ERASED`
record HeldValue(BodyState state, Optional<StateValue> opened, Optional<ErasedBody> erased) {
  /// The held value for a key that has none.
  static final HeldValue NONE = new HeldValue(BodyState.NONE, Optional.empty(), Optional.empty());

  /// @param entry of a key that has a value
  /// @throws TallyException also if it is said to be erased, and no removal of it is shown
  static HeldValue read(
      StateEntry entry,
      io.tallystick.api.v1.BodyState said,
      ByteString encoded,
      StateReader.Erasures erasures)
      throws ProofRejectedException, MalformedException, TallyException {
    return switch (said) {
      case BODY_PRESENT -> {
        StateValue value = StateValue.decode(WireBytes.bytes(encoded));
        value.verify(entry);
        yield new HeldValue(BodyState.PRESENT, Optional.of(value), Optional.empty());
      }
      case BODY_ERASED ->
          new HeldValue(BodyState.ERASED, Optional.empty(), Optional.of(erasures.of(entry.jsn())));
      case BODY_DAMAGED -> new HeldValue(BodyState.DAMAGED, Optional.empty(), Optional.empty());
      case BODY_NONE, BODY_STATE_UNSPECIFIED, UNRECOGNIZED ->
          throw new ProofRejectedException(
              Reason.MISSING,
              "key " + Printable.name(entry.key()) + " has a value, the answer says of it " + said);
    };
  }

  /// @param entry whose value it is
  StateValue of(StateEntry entry) throws ValueUnavailableException {
    if (opened.isEmpty()) {
      throw new ValueUnavailableException(Printable.name(entry.key()), state, entry.jsn());
    }
    return opened.get();
  }

  @Override
  public String toString() {
    return opened.map(held -> Printable.brief(held.value())).orElse(state.toString());
  }
}
