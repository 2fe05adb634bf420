package io.tallystick.api;

import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.tallystick.api.v1.Problem;
import org.jspecify.annotations.Nullable;

/// Where a failed call carries its {@link Problem}: `docs/errors.md`.
public final class ProblemTrailer {
  public static final Metadata.Key<Problem> KEY =
      Metadata.Key.of(
          "tallystick-problem-bin", ProtoUtils.metadataMarshaller(Problem.getDefaultInstance()));

  private ProblemTrailer() {}

  /// Null if the call failed without one: somewhere between client and service.
  public static @Nullable Problem of(StatusRuntimeException failure) {
    Metadata trailers = failure.getTrailers();
    return trailers == null ? null : trailers.get(KEY);
  }
}
