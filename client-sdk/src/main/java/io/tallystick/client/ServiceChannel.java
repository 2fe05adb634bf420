package io.tallystick.client;

import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptor;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.tallystick.client.wire.BearerToken;
import io.tallystick.model.LedgerId;

/// Connections to a service, as a configuration wants them.
public final class ServiceChannel {
  private static final String SPREADING = "round_robin";

  static {
    SeveralAddresses.register();
  }

  private ServiceChannel() {}

  /// For reading one ledger, with the tokens of the configuration's reader if it has one. Connects
  /// when first used; the caller ends it.
  public static ManagedChannel reading(ClientConfig config, LedgerId ledger) {
    return builder(config).intercept(bearer(config, ledger)).build();
  }

  private static ClientInterceptor bearer(ClientConfig config, LedgerId ledger) {
    ClientKey reader = config.reader();
    ReadTokens tokens = reader == null ? null : new ReadTokens(reader);
    return new BearerToken(() -> tokens == null ? null : tokens.of(ledger));
  }

  /// Of several addresses, gRPC keeps a connection to each and takes them in turn: one that is down
  /// is passed over at once, and no proxy gets all clients because it is named first.
  static NettyChannelBuilder builder(ClientConfig config) {
    TlsOptions tls = config.tls();
    ChannelCredentials credentials =
        tls == null ? InsecureChannelCredentials.create() : tls.credentials();
    ServiceTarget target = config.target();
    NettyChannelBuilder builder = NettyChannelBuilder.forTarget(target.grpcTarget(), credentials);
    return target.isSpread() ? builder.defaultLoadBalancingPolicy(SPREADING) : builder;
  }
}
