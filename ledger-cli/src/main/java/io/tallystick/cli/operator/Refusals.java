package io.tallystick.cli.operator;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.model.RequestRejectedException;
import java.time.Duration;
import java.util.OptionalInt;

/// Turns a refusal over the operator's socket into the one that the wire would bring.
final class Refusals {
  private Refusals() {}

  static RequestRefusedException of(RequestRejectedException refusal) {
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
