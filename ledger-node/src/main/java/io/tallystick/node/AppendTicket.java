package io.tallystick.node;

import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import java.util.concurrent.CompletableFuture;

/// The outcome of a submission, in two steps, for a caller that waits for it alone. Both futures
/// fail with {@link io.tallystick.model.RequestRejectedException} when the sequencer refuses, and
/// with another exception only if the shard stops; whether the submission is durable is then
/// unknown and a retry with the same signatures finds out.
///
/// @param committed completes once durable
/// @param receipted completes once its block is sealed and signed
public record AppendTicket(
    CompletableFuture<Committed> committed, CompletableFuture<Receipted> receipted)
    implements AppendWaiter, AppendWaiter.Stream {
  /// Durable, not yet evidence.
  ///
  /// @param delegated whether the key of a signer is, as the leaves say
  /// @param repeated whether this answers a repeat with the original jsns
  public record Committed(
      long firstJsn, int count, long timeMs, boolean delegated, boolean repeated) {}

  /// @param rangeReceipt canonical bytes of the range receipt under the head of the submission's
  ///   block
  public record Receipted(Committed committed, Bytes rangeReceipt) {}

  public static AppendTicket open() {
    return new AppendTicket(new CompletableFuture<>(), new CompletableFuture<>());
  }

  void throwIfRefused() throws RequestRejectedException {
    if (receipted.isCompletedExceptionally()
        && receipted.exceptionNow() instanceof RequestRejectedException refusal) {
      throw refusal;
    }
  }

  @Override
  public AppendWaiter.Stream stream() {
    return this;
  }

  @Override
  public boolean wantsCommitted() {
    return true;
  }

  @Override
  public void committed(Committed outcome) {
    committed.complete(outcome);
  }

  @Override
  public void receipted(ReceiptedRun run) {
    Committed outcome = run.committed().getFirst();
    committed.complete(outcome);
    receipted.complete(new Receipted(outcome, run.rangeReceipt()));
  }

  @Override
  public void failed(Throwable cause) {
    committed.completeExceptionally(cause);
    receipted.completeExceptionally(cause);
  }
}
