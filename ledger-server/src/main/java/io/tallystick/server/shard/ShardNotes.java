package io.tallystick.server.shard;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.note.NoteDecision;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.sequencer.Input;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/// Puts decisions of notes into the intake of a shard, and waits for them. Thread-safe.
final class ShardNotes implements NoteWriter {
  private final Admission admission;
  private final Consumer<List<Input<AdmittedAppend>>> intake;

  /// @param intake queues inputs, or refuses them
  ShardNotes(Admission admission, Consumer<List<Input<AdmittedAppend>>> intake) {
    this.admission = admission;
    this.intake = intake;
  }

  @Override
  public <R> R write(long valueBytes, NoteDecision<R> decision) throws RequestRejectedException {
    AdmittedNote<R> note = new AdmittedNote<>(decision, valueBytes, admission::release);
    admission.admit(note.sizeBytes());
    intake.accept(List.of(note));
    return await(note.done());
  }

  private static <R> R await(CompletableFuture<R> done) throws RequestRejectedException {
    try {
      return done.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestRejectedException refusal) {
        throw refusal;
      }
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE,
          "the shard failed: whether this was done is not known; " + e.getCause(),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "interrupted: whether this was done is not known", e);
    }
  }
}
