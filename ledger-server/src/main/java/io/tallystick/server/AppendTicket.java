package io.tallystick.server;

import java.util.concurrent.CompletableFuture;

/// What a submission becomes, in two steps. Both futures fail with {@link
/// io.tallystick.model.RequestRejectedException} when the sequencer refuses, and with another
/// exception only if the shard stops; whether the submission is durable is then unknown and a retry
/// with the same signatures finds out.
///
/// @param committed completes once durable
/// @param receipted completes once its block is sealed and signed
public record AppendTicket(
    CompletableFuture<Committed> committed, CompletableFuture<Receipted> receipted) {
  /// Durable, not yet evidence.
  ///
  /// @param repeated whether this answers a repeat with the original jsns
  public record Committed(long firstJsn, int count, long timeMs, boolean repeated) {}

  /// @param rangeReceipt canonical bytes of the range receipt under the head of the submission's
  ///   block
  public record Receipted(Committed committed, io.tallystick.model.Bytes rangeReceipt) {}
}
