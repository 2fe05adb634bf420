package io.tallystick.server.shard;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.note.NoteDecision;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.sequencer.Input;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// Puts decisions of notes into the intake of a shard. Thread-safe.
final class ShardNotes implements NoteWriter {
  private final Admission admission;
  private final Consumer<List<Input<AdmittedAppend>>> intake;

  /// @param intake queues inputs, or refuses them
  ShardNotes(Admission admission, Consumer<List<Input<AdmittedAppend>>> intake) {
    this.admission = admission;
    this.intake = intake;
  }

  @Override
  public <R> CompletableFuture<R> writeLater(
      long valueBytes, boolean makesRoom, NoteDecision<R> decision) {
    AdmittedNote<R> note = new AdmittedNote<>(decision, valueBytes, makesRoom, admission::release);
    try {
      admission.admit(note.sizeBytes());
    } catch (RequestRejectedException refusal) {
      return CompletableFuture.failedFuture(refusal);
    }
    intake.accept(List.of(note));
    return note.done();
  }
}
