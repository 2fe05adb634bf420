package io.tallystick.server.shard;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.note.NoteDecision;
import io.tallystick.server.note.NoteDraft;
import io.tallystick.server.sequencer.Input;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A decision of notes on its way; completes with its answer once they are durable.
final class AdmittedNote<R> implements Input.Noting<AdmittedAppend> {
  private static final int OVERHEAD_BYTES = 512;

  private final NoteDecision<R> decision;
  private final long valueBytes;
  private final boolean makesRoom;
  private final LongConsumer release;
  private final CompletableFuture<R> done = new CompletableFuture<>();
  private @Nullable R answer;

  /// @param valueBytes of what it writes, about
  /// @param release given the admitted bytes back, once, when it is answered
  AdmittedNote(NoteDecision<R> decision, long valueBytes, boolean makesRoom, LongConsumer release) {
    this.decision = decision;
    this.valueBytes = valueBytes;
    this.makesRoom = makesRoom;
    this.release = release;
  }

  CompletableFuture<R> done() {
    return done;
  }

  @Override
  public long sizeBytes() {
    return valueBytes + OVERHEAD_BYTES;
  }

  @Override
  public boolean makesRoom() {
    return makesRoom;
  }

  @Override
  public void decide(NoteDraft draft, NoteDecision.Moment moment)
      throws IOException, RequestRejectedException {
    answer = decision.decide(draft, moment);
  }

  @Override
  public void complete() {
    R decided = answer;
    if (decided == null) {
      throw new AssertionError("a note that is not decided");
    }
    if (done.complete(decided)) {
      release.accept(sizeBytes());
    }
  }

  @Override
  public void refuse(RequestRejectedException refusal) {
    fail(refusal);
  }

  @Override
  public void fail(Throwable cause) {
    if (done.completeExceptionally(cause)) {
      release.accept(sizeBytes());
    }
  }
}
