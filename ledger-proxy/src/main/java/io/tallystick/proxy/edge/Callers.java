package io.tallystick.proxy.edge;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/// Hands the address of the caller to whatever runs in the call: of IPv6 the network of 64 bits,
/// since one caller has all of it.
final class Callers implements ServerInterceptor {
  private static final Context.Key<String> ADDRESS = Context.key("address");
  private static final int NETWORK_BYTES = 8;

  /// The address of the caller whose call runs on this thread; empty if it is not known.
  static String address() {
    return Objects.requireNonNullElse(ADDRESS.get(), "");
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (!(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)
            instanceof InetSocketAddress from)
        || from.getAddress() == null) {
      return next.startCall(call, headers);
    }
    byte[] bytes = from.getAddress().getAddress();
    String address =
        from.getAddress() instanceof Inet6Address
            ? HexFormat.of().formatHex(Arrays.copyOf(bytes, NETWORK_BYTES))
            : from.getAddress().getHostAddress();
    Context context = Context.current().withValue(ADDRESS, address);
    return Contexts.interceptCall(context, call, headers, next);
  }
}
