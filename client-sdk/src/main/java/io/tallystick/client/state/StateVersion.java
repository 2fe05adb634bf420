package io.tallystick.client.state;

import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import io.tallystick.state.KeyWrite;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// A write of a key, proven to stand in the log: its journal under a trusted head, the operation
/// under the root that the journal's header has. How long it stood is proven if {@link #stood} says
/// so.
public final class StateVersion {
  private final KeyWrite write;
  private final HeldValue value;
  private final Optional<StateReading> still;

  StateVersion(KeyWrite write, HeldValue value, Optional<StateReading> still) {
    this.write = write;
    this.value = value;
    this.still = still;
  }

  /// The journal, its operation on the key and the seal of its block.
  public KeyWrite write() {
    return write;
  }

  public Bytes key() {
    return write.op().key();
  }

  public Jsn jsn() {
    return write.jsn();
  }

  /// Of its block.
  public long height() {
    return write.height();
  }

  public Instant time() {
    return Instant.ofEpochMilli(write.timeMs());
  }

  /// What the state held from then on.
  public StateEntry entry() {
    return write.entry();
  }

  public boolean isDeletion() {
    return !entry().isPresent();
  }

  /// The value that was written; empty for a deletion.
  ///
  /// @throws ValueUnavailableException if the service cannot give it, or was not asked for it
  public Optional<Bytes> value() throws ValueUnavailableException {
    return isDeletion() ? Optional.empty() : Optional.of(value.of(entry()).value());
  }

  /// The same as text in UTF-8.
  public Optional<String> text() throws ValueUnavailableException {
    return value().map(bytes -> new String(bytes.unsafeArray(), StandardCharsets.UTF_8));
  }

  /// `NONE` for a deletion, and if no values were asked for; `ERASED` is verified, see {@link
  /// #erasure}; `DAMAGED` is the service's word.
  public BodyState valueState() {
    return value.state();
  }

  /// By what the value was erased; empty if it was not.
  public Optional<ErasedBody> erasure() {
    return value.erased();
  }

  /// The key in the state before the block of the next newer write, or, of the newest one, in the
  /// state of the block that the history is as of; empty if the service does not show it, and
  /// between two writes of one block.
  public Optional<StateReading> still() {
    return still;
  }

  /// Whether it is proven that the state held this version until the next newer one, or until the
  /// end: no block between them wrote the key. A deletion may be dropped by the state; that the key
  /// then holds nothing is no such proof.
  public boolean stood() {
    return still.isPresent() && !(still.get().answer() instanceof StateAnswer.Absent);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "StateVersion[%s = %s by journal %s of block %d%s]",
        Printable.name(key()),
        isDeletion() ? "deleted" : value,
        jsn(),
        height(),
        stood() ? ", stood" : "");
  }
}
