package io.tallystick.proxy.rest;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Erasure;

/// A body that was asked for and is not there any more, and what shows why.
final class BodyErasedException extends Exception {
  private static final long serialVersionUID = 1;

  private final RequestRejectedException refusal;
  private final transient Erasure erasure;

  /// @param jsn of the journal that was asked for
  BodyErasedException(long jsn, Erasure erasure) {
    super("the body of journal %d was erased by journal %d".formatted(jsn, erasure.removal()));
    this.refusal =
        new RequestRejectedException(RejectionCode.ERASED, String.valueOf(getMessage()), this)
            .atJsn(erasure.removal());
    this.erasure = erasure;
  }

  RequestRejectedException refusal() {
    return refusal;
  }

  Erasure erasure() {
    return erasure;
  }
}
