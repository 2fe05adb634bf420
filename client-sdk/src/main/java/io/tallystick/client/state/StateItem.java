package io.tallystick.client.state;

import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import io.tallystick.state.StateValue;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/// A key that has a value, as a range shows it.
public final class StateItem {
  private final StateEntry entry;
  private final HeldValue value;

  StateItem(StateEntry entry, HeldValue value) {
    this.entry = entry;
    this.value = value;
  }

  public Bytes key() {
    return entry.key();
  }

  /// Which journal wrote the value, its size and its commitment.
  public StateEntry entry() {
    return entry;
  }

  /// @throws ValueUnavailableException if the service cannot give it
  public Bytes value() throws ValueUnavailableException {
    return value.of(entry).value();
  }

  Optional<StateValue> opened() {
    return value.opened();
  }

  /// The same as text in UTF-8.
  public String text() throws ValueUnavailableException {
    return new String(value().unsafeArray(), StandardCharsets.UTF_8);
  }

  /// `ERASED` is verified, see {@link #erasure}; `DAMAGED` is the service's word.
  public BodyState valueState() {
    return value.state();
  }

  /// By what the value was erased, with the body of the journal that wrote it; empty if it was not.
  public Optional<ErasedBody> erasure() {
    return value.erased();
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "StateItem[%s = %s by journal %s]", Printable.name(key()), value, entry.jsn());
  }
}
