package io.tallystick.client.state;

import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.state.LookupProof;
import io.tallystick.state.StateFile;
import java.util.Locale;
import java.util.Optional;

/// A key as the state of a block holds it, proven under the block's head: its value, that it was
/// deleted, or that there is nothing.
public final class StateReading {
  private final VerifiedBlock block;
  private final HeldKey held;
  private final LookupProof proof;

  StateReading(VerifiedBlock block, StateAnswer answer, LookupProof proof, HeldValue value) {
    this.block = block;
    this.held = new HeldKey(answer, value);
    this.proof = proof;
  }

  public Bytes key() {
    return held.key();
  }

  /// The answer that is proven for the key.
  public StateAnswer answer() {
    return held.answer();
  }

  /// The block whose state it is.
  public VerifiedBlock block() {
    return block;
  }

  public long height() {
    return block.height();
  }

  public SignedHead head() {
    return block.head();
  }

  /// Who wrote what the key holds; empty if it holds nothing, not even a deletion.
  public Optional<StateEntry> entry() {
    return held.entry();
  }

  /// The key's value; empty if it has none.
  ///
  /// @throws ValueUnavailableException if it has one that the service cannot give
  public Optional<Bytes> value() throws ValueUnavailableException {
    return held.value();
  }

  /// The same as text in UTF-8.
  public Optional<String> text() throws ValueUnavailableException {
    return held.text();
  }

  /// `NONE` if the key has no value; `ERASED` is verified, see {@link #erasure}; `DAMAGED` is the
  /// service's word.
  public BodyState valueState() {
    return held.valueState();
  }

  /// By what the value was erased, with the body of the journal that wrote it; empty if it was not.
  public Optional<ErasedBody> erasure() {
    return held.erasure();
  }

  /// The reading as evidence for others, complete in itself but for the service's keys; with the
  /// value, if there is one at hand.
  public StateFile file() {
    return StateFile.of(block.head(), proof, held.opened());
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "StateReading[%s at height %d]", held.shown(), height());
  }
}
