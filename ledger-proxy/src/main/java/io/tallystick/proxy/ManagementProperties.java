package io.tallystick.proxy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// Where health, probes and metrics are served.
///
/// @param port `tallystick.management.port`: of their own, plain HTTP without certificates or
///   tokens, 0 to 65535; 0 takes a free one. The port of REST then serves them no more. Without one
///   they are on the port of REST
/// @param address `tallystick.management.address`: where that port listens, an IP address. Default
///   `127.0.0.1`
public record ManagementProperties(
    @Nullable Integer port, @DefaultValue(ServiceProperties.DEFAULT_ADDRESS) String address) {
  /// On the port of REST.
  public static final ManagementProperties OFF =
      new ManagementProperties(null, ServiceProperties.DEFAULT_ADDRESS);

  public ManagementProperties {
    if (port != null) {
      ListenProperties.checkPort("tallystick.management.port", port);
    }
    try {
      InetAddress _ = InetAddress.ofLiteral(address);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "tallystick.management.address is " + address + ", which is no IP address", e);
    }
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.management.address=" + address);
    if (port != null) {
      arguments.add("--tallystick.management.port=" + port);
    }
    return arguments;
  }
}
