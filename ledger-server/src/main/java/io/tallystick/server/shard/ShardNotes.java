package io.tallystick.server.shard;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.note.NoteDecision;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.sequencer.Input;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Puts decisions of notes into the intake of a shard, once it serves. Thread-safe.
final class ShardNotes implements NoteWriter {
  private record Served(Admission admission, Consumer<List<Input<AdmittedAppend>>> intake) {}

  private volatile @Nullable Served served;

  /// The shard serves from now on.
  ///
  /// @param intake queues inputs, or refuses them
  void serve(Admission admission, Consumer<List<Input<AdmittedAppend>>> intake) {
    served = new Served(admission, intake);
  }

  @Override
  public <R> CompletableFuture<R> writeLater(
      long valueBytes, boolean makesRoom, NoteDecision<R> decision) {
    Served now = served;
    if (now == null) {
      return CompletableFuture.failedFuture(
          new RequestRejectedException(
              RejectionCode.UNAVAILABLE, "the shard follows its stream and takes no changes"));
    }
    AdmittedNote<R> note =
        new AdmittedNote<>(decision, valueBytes, makesRoom, now.admission::release);
    try {
      now.admission.admit(note.sizeBytes());
    } catch (RequestRejectedException refusal) {
      return CompletableFuture.failedFuture(refusal);
    }
    now.intake.accept(List.of(note));
    return note.done();
  }
}
