package io.tallystick.cli.terminal;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.model.RequestRejectedException;
import java.time.Duration;
import java.util.OptionalInt;

/// Turns a refusal that came by no wire into the one that the wire would bring.
public final class Refusals {
  private Refusals() {}

  public static RequestRefusedException of(RequestRejectedException refusal) {
    return new RequestRefusedException(
        refusal.code().wire(),
        String.valueOf(refusal.getMessage()),
        refusal.code().retryable(),
        OptionalInt.empty(),
        refusal.limit(),
        refusal.jsn(),
        Duration.ZERO,
        0);
  }
}
