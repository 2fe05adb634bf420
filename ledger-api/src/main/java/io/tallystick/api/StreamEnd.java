package io.tallystick.api;

import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;

/// How a service tells of an append stream that it has ended in order and not by a failure: because
/// it shuts down, or because the connection is old. It has answered what it has read; the rest is
/// to be sent again over another stream, and nobody has failed at it.
public final class StreamEnd {
  public static final Metadata.Key<String> KEY =
      Metadata.Key.of("tallystick-stream-end", Metadata.ASCII_STRING_MARSHALLER);

  /// The only value there is.
  public static final String IN_ORDER = "in-order";

  private StreamEnd() {}

  /// Whether this failure is such an end.
  public static boolean isInOrder(StatusRuntimeException failure) {
    Metadata trailers = failure.getTrailers();
    return trailers != null && IN_ORDER.equals(trailers.get(KEY));
  }
}
