package io.tallystick.server.shard;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Founding;
import io.tallystick.server.sequencer.Input;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/// A ledger on its way to being founded; completes with whether it existed.
final class AdmittedFounding implements Input.Found<AdmittedAppend> {
  private static final int OVERHEAD_BYTES = 512;

  private final Founding founding;
  private final LongConsumer release;
  private final CompletableFuture<Boolean> existed = new CompletableFuture<>();

  /// @param release given the admitted bytes back, once, when it is answered
  AdmittedFounding(Founding founding, LongConsumer release) {
    this.founding = founding;
    this.release = release;
  }

  static long sizeOf(Founding founding) {
    return (long) founding.paramsBytes().size() + founding.attestation().size() + OVERHEAD_BYTES;
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
    return sizeOf(founding);
  }

  @Override
  public void refuse(RequestRejectedException refusal) {
    fail(refusal);
  }

  @Override
  public void fail(Throwable cause) {
    if (existed.completeExceptionally(cause)) {
      release.accept(sizeBytes());
    }
  }

  @Override
  public void complete(boolean wasThere) {
    if (existed.complete(wasThere)) {
      release.accept(sizeBytes());
    }
  }
}
