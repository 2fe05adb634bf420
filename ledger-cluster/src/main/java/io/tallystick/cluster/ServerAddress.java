package io.tallystick.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;

/// Where a server is, as it shows itself: `HOST:PORT`.
public final class ServerAddress {
  private ServerAddress() {}

  /// @param server its name
  public static InetSocketAddress parse(String server, String address) throws IOException {
    int colon = address.lastIndexOf(':');
    try {
      return new InetSocketAddress(
          address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new IOException("server " + server + " is at " + address, e);
    }
  }
}
