package io.tallystick.client.wire;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Sends a bearer token with every call.
///
/// @param token asked for each call; null: none is sent
public record BearerToken(Supplier<@Nullable String> token) implements ClientInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    String now = token.get();
    if (now == null) {
      return next.newCall(method, options);
    }
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<R> listener, Metadata headers) {
        headers.put(AUTHORIZATION, "Bearer " + now);
        super.start(listener, headers);
      }
    };
  }
}
