package io.tallystick.proxy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// Where the service listens, and what protects its connections.
///
/// @param address `tallystick.address`: where to listen, an IP address or `localhost`. Any that is
///   not loopback needs `tallystick.tls`. Default `127.0.0.1`
/// @param port `tallystick.port`: of gRPC, 0 to 65535; 0 takes a free one. Default 4510
/// @param httpPort `tallystick.http-port`: of REST, on the same address. Default: the next after
///   `port`, or a free one where that is 0
/// @param ipv6 `tallystick.ipv6`: whether IPv6 is used beside IPv4, to listen and to reach others.
///   An `address` of IPv6 needs it. Default false
/// @param tls `tallystick.tls`: certificate and key; without it nothing is encrypted
/// @param grpcReflection `tallystick.grpc-reflection`: whether gRPC tells anybody its services and
///   messages (`grpc.reflection.v1`). Default false
/// @param insecureDev `tallystick.insecure-dev`: for development, as in a container: `address` may
///   be any without TLS, and anybody may found ledgers; `authority` must be `localhost`. Default
///   false
@ConfigurationProperties(ServiceProperties.PREFIX)
public record ListenProperties(
    @DefaultValue(ServiceProperties.DEFAULT_ADDRESS) String address,
    @DefaultValue("" + ServiceProperties.DEFAULT_PORT) int port,
    @Nullable Integer httpPort,
    @DefaultValue("false") boolean ipv6,
    @NestedConfigurationProperty @Nullable TlsProperties tls,
    @DefaultValue("false") boolean grpcReflection,
    @DefaultValue("false") boolean insecureDev) {
  private static final int PORT_MAX = 65_535;

  public ListenProperties {
    checkAddress(address, tls != null || insecureDev);
    if (insecureDev && tls != null) {
      throw new IllegalArgumentException(
          "tallystick.insecure-dev is true and tallystick.tls is set; it is for services without");
    }
    if (!ipv6 && address.contains(":")) {
      throw new IllegalArgumentException(
          "tallystick.address is " + address + ", an address of IPv6: that needs tallystick.ipv6");
    }
    checkPort("tallystick.port", port);
    checkPort("tallystick.http-port", httpPort(port, httpPort));
    if (port != 0 && port == httpPort(port, httpPort)) {
      throw new IllegalArgumentException(
          "tallystick.port and tallystick.http-port are both " + port);
    }
  }

  /// @param mayBeAny whether it needs no loopback address
  private static void checkAddress(String address, boolean mayBeAny) {
    if (isLoopback(address)) {
      return;
    }
    try {
      InetAddress _ = InetAddress.ofLiteral(address);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "tallystick.address is " + address + ", which is neither an IP address nor localhost", e);
    }
    if (!mayBeAny) {
      throw new IllegalArgumentException(
          "tallystick.address is "
              + address
              + ", which is not a loopback address: that needs tallystick.tls.certificate and"
              + " tallystick.tls.private-key, or for development tallystick.insecure-dev");
    }
  }

  static void checkPort(String name, int port) {
    if (port < 0 || port > PORT_MAX) {
      throw new IllegalArgumentException(name + " is " + port + ", want 0 to " + PORT_MAX);
    }
  }

  private static int httpPort(int port, @Nullable Integer given) {
    int next = port == PORT_MAX ? port - 1 : port + 1;
    return given != null ? given : port == 0 ? 0 : next;
  }

  /// The defaults, but for the port of gRPC.
  static ListenProperties on(int port) {
    return new ListenProperties(
        ServiceProperties.DEFAULT_ADDRESS, port, null, false, null, false, false);
  }

  /// One for development that listens there.
  ListenProperties forDevelopment(String at) {
    return new ListenProperties(at, port, httpPort, ipv6, tls, grpcReflection, true);
  }

  /// Of REST; 0 takes a free one.
  int wantedHttpPort() {
    return httpPort(port, httpPort);
  }

  boolean loopback() {
    return isLoopback(address);
  }

  // Names are not resolved: what a resolver answers may change after the check.
  private static boolean isLoopback(String address) {
    try {
      return address.equals("localhost") || InetAddress.ofLiteral(address).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /// The address as a literal.
  String literalAddress() {
    return address.equals("localhost") ? ServiceProperties.DEFAULT_ADDRESS : address;
  }

  /// Address and port as a client writes them.
  String target(int boundPort) {
    return target(literalAddress(), boundPort);
  }

  static String target(String host, int boundPort) {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + boundPort;
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.address=" + address);
    arguments.add("--tallystick.port=" + port);
    arguments.add("--tallystick.http-port=" + wantedHttpPort());
    arguments.add("--tallystick.ipv6=" + ipv6);
    if (tls != null) {
      arguments.addAll(tls.arguments());
    }
    arguments.add("--tallystick.grpc-reflection=" + grpcReflection);
    arguments.add("--tallystick.insecure-dev=" + insecureDev);
    return arguments;
  }
}
