package io.tallystick.server.note;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Has decisions of notes taken and made durable. Thread-safe.
public interface NoteWriter {
  /// How long is waited for a note to be durable: as long as a proxy waits for a server.
  Duration WAIT_MAX = Duration.ofSeconds(30);

  /// Waits for nothing; completes once the notes are durable. A refusal is the decision's, or
  /// `RATE_LIMITED`, `STORAGE_FULL`, `UNAVAILABLE`; after any other failure whether it was taken is
  /// not known.
  ///
  /// @param valueBytes of what it writes, about
  /// @param makesRoom whether it is taken on a full disk, too
  <R> CompletableFuture<R> writeLater(long valueBytes, boolean makesRoom, NoteDecision<R> decision);

  /// The same.
  ///
  /// @param valueBytes of what it writes, about; 0 if it only deletes, which a full disk allows
  default <R> CompletableFuture<R> writeLater(long valueBytes, NoteDecision<R> decision) {
    return writeLater(valueBytes, valueBytes == 0, decision);
  }

  /// Waits until the notes are durable. Not for the commit thread.
  ///
  /// @param valueBytes of what it writes, about; 0 if it only deletes, which a full disk allows
  /// @throws RequestRejectedException the decision's; `RATE_LIMITED`, `STORAGE_FULL`; `UNAVAILABLE`
  ///   if none is taken, or if the shard failed meanwhile: whether it was taken is not known then
  default <R> R write(long valueBytes, NoteDecision<R> decision) throws RequestRejectedException {
    return await(writeLater(valueBytes, decision));
  }

  /// Waits for what {@link #writeLater} gave, as long as a caller does.
  ///
  /// @throws RequestRejectedException as {@link #write}
  static <R> R await(CompletableFuture<R> written) throws RequestRejectedException {
    return await(written, WAIT_MAX);
  }

  /// Waits for a while.
  ///
  /// @throws RequestRejectedException as {@link #write}
  static <R> R await(CompletableFuture<R> written, Duration most) throws RequestRejectedException {
    try {
      return written.get(most.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE,
          "not durable within " + most.toMillis() + " ms: whether this was done is not known",
          e);
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
