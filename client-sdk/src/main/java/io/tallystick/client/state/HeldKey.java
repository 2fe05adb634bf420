package io.tallystick.client.state;

import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import io.tallystick.state.StateValue;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/// A key as the state of a block holds it, read with others under one proof.
public final class HeldKey {
  private final StateAnswer answer;
  private final HeldValue value;

  HeldKey(StateAnswer answer, HeldValue value) {
    this.answer = answer;
    this.value = value;
  }

  public Bytes key() {
    return answer.key();
  }

  /// The answer that is proven for the key.
  public StateAnswer answer() {
    return answer;
  }

  /// Who wrote what the key holds; empty if it holds nothing, not even a deletion.
  public Optional<StateEntry> entry() {
    return entry(answer);
  }

  static Optional<StateEntry> entry(StateAnswer answer) {
    return switch (answer) {
      case StateAnswer.Present present -> Optional.of(present.entry());
      case StateAnswer.Deleted deleted -> Optional.of(deleted.entry());
      case StateAnswer.Absent unused -> Optional.empty();
    };
  }

  /// The key's value; empty if it has none.
  ///
  /// @throws ValueUnavailableException if it has one that the service cannot give
  public Optional<Bytes> value() throws ValueUnavailableException {
    return answer instanceof StateAnswer.Present present
        ? Optional.of(value.of(present.entry()).value())
        : Optional.empty();
  }

  /// The same as text in UTF-8.
  public Optional<String> text() throws ValueUnavailableException {
    return value().map(bytes -> new String(bytes.unsafeArray(), StandardCharsets.UTF_8));
  }

  /// `NONE` if the key has no value; `ERASED` is verified, see {@link #erasure}; `DAMAGED` is the
  /// service's word.
  public BodyState valueState() {
    return value.state();
  }

  /// By what the value was erased, with the body of the journal that wrote it; empty if it was not.
  public Optional<ErasedBody> erasure() {
    return value.erased();
  }

  Optional<StateValue> opened() {
    return value.opened();
  }

  /// Key, value and writer, as {@link #toString} shows them.
  String shown() {
    return String.format(
        Locale.ROOT,
        "%s = %s%s",
        Printable.name(key()),
        value,
        entry().map(written -> " by journal " + written.jsn()).orElse(""));
  }

  @Override
  public String toString() {
    return "HeldKey[" + shown() + "]";
  }
}
