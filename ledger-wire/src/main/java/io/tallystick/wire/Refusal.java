package io.tallystick.wire;

import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// A refusal as it crosses: whole, but for its cause.
///
/// @param code as the APIs spell it
/// @param ownerEpoch present if it was the server that was wrong, not the request: the epoch in
///   which it owns the shard, 0 if it does not
record Refusal(
    String code,
    String detail,
    OptionalInt index,
    OptionalLong limit,
    OptionalLong jsn,
    OptionalInt operation,
    Optional<Bytes> key,
    OptionalLong retryAfterMs,
    OptionalLong ownerEpoch) {
  static Refusal of(RequestRejectedException e) {
    return new Refusal(
        e.code().wire(),
        String.valueOf(e.getMessage()),
        e.index(),
        e.limit(),
        e.jsn(),
        e.operation(),
        e.key(),
        e.retryAfterMs(),
        OptionalLong.empty());
  }

  static Refusal of(RejectionCode code, String detail) {
    return of(new RequestRejectedException(code, detail));
  }

  /// A call for another epoch than the server's.
  ///
  /// @param epoch 0: the shard is not the server's at all
  static Refusal notMine(WireMessage.Meant meant, long epoch) {
    RequestRejectedException refusal =
        new RequestRejectedException(
                RejectionCode.UNAVAILABLE,
                String.format(
                    Locale.ROOT,
                    "shard %d is not mine in epoch %d, epoch %d",
                    meant.shard(),
                    meant.epoch(),
                    epoch))
            .retryAfterMs(0);
    Refusal plain = of(refusal);
    return new Refusal(
        plain.code,
        plain.detail,
        plain.index,
        plain.limit,
        plain.jsn,
        plain.operation,
        plain.key,
        plain.retryAfterMs,
        OptionalLong.of(epoch));
  }

  RequestRejectedException toException() {
    RejectionCode known =
        Arrays.stream(RejectionCode.values())
            .filter(each -> each.wire().equals(code))
            .findFirst()
            .orElse(RejectionCode.UNAVAILABLE);
    RequestRejectedException e = new RequestRejectedException(known, detail);
    if (index.isPresent()) {
      e = e.atIndex(index.getAsInt());
    }
    if (limit.isPresent()) {
      e = e.withLimit(limit.getAsLong());
    }
    if (jsn.isPresent()) {
      e = e.atJsn(jsn.getAsLong());
    }
    if (operation.isPresent() && key.isPresent()) {
      e = e.atOperation(operation.getAsInt(), key.get());
    }
    return retryAfterMs.isPresent() ? e.retryAfterMs(retryAfterMs.getAsLong()) : e;
  }
}
