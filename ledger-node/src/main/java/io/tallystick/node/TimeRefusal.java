package io.tallystick.node;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.OptionalLong;

/// The refusal of a time that a member wants, by whoever asks outsiders for it.
///
/// @param retryAfterMs when to ask again; empty: nothing is known of that
public record TimeRefusal(RejectionCode code, String detail, OptionalLong retryAfterMs) {
  /// What a request for a time failed with.
  public static TimeRefusal of(RequestRejectedException e) {
    return new TimeRefusal(e.code(), String.valueOf(e.getMessage()), e.retryAfterMs());
  }

  public RequestRejectedException toException() {
    RequestRejectedException e = new RequestRejectedException(code, detail);
    return retryAfterMs.isPresent() ? e.retryAfterMs(retryAfterMs.getAsLong()) : e;
  }
}
