package io.tallystick.proxy.edge;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.access.Bearer;
import java.util.Objects;

/// Takes the bearer token of a call from its metadata, `authorization`, and hands it to whatever
/// runs in the call.
record BearerInterceptor(Calls calls) implements ServerInterceptor {
  private static final Context.Key<Bearer> BEARER = Context.key("bearer");
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  /// The bearer of the call that runs on this thread.
  static Bearer current() {
    return Objects.requireNonNullElse(BEARER.get(), Bearer.NONE);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String authorization = headers.get(AUTHORIZATION);
    if (authorization == null) {
      return next.startCall(call, headers);
    }
    try {
      Context context = Context.current().withValue(BEARER, Bearer.of(authorization));
      return Contexts.interceptCall(context, call, headers, next);
    } catch (RequestRejectedException e) {
      return calls.refuse(call, e);
    }
  }
}
