package io.tallystick.server.shard;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.Founding;
import io.tallystick.server.sequencer.Input;
import java.util.concurrent.CompletableFuture;

/// A ledger on its way to being founded; completes with whether it existed.
final class PendingFounding implements Input.Found {
  private final Founding founding;
  private final CompletableFuture<Boolean> existed = new CompletableFuture<>();

  PendingFounding(Founding founding) {
    this.founding = founding;
  }

  CompletableFuture<Boolean> existed() {
    return existed;
  }

  @Override
  public Founding founding() {
    return founding;
  }

  @Override
  public long sizeBytes() {
    return (long) founding.paramsBytes().size() + founding.attestation().size();
  }

  @Override
  public void refuse(RequestRejectedException refusal) {
    existed.completeExceptionally(refusal);
  }

  @Override
  public void fail(Throwable cause) {
    existed.completeExceptionally(cause);
  }
}
