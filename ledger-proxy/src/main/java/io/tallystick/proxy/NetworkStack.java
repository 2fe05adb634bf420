package io.tallystick.proxy;

/// Which versions of IP a process uses. The JVM decides it once, when the first class of its
/// network is loaded.
public final class NetworkStack {
  private static final String IPV4_ALONE = "java.net.preferIPv4Stack";

  private NetworkStack() {}

  /// To be called before the first {@link ServiceProperties} is made: later it changes nothing.
  ///
  /// @param ipv6 as {@link ListenProperties#ipv6}
  public static void choose(boolean ipv6) {
    System.setProperty(IPV4_ALONE, String.valueOf(!ipv6));
  }
}
