package io.tallystick.proxy;

import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What settings of the service must be to one another.
final class SettingChecks {
  private static final Duration SHUTDOWN_DELAY_MAX = Duration.ofMinutes(5);
  private static final Duration CONNECTION_AGE_MIN = Duration.ofSeconds(1);
  private static final Duration DISK_STALL_MIN = Duration.ofSeconds(1);
  private static final Duration DISK_STALL_MAX = Duration.ofMinutes(5);

  private SettingChecks() {}

  /// @param mayBeAny whether it needs no loopback address
  static void checkAddress(String address, ServiceProperties.Reads reads, boolean mayBeAny) {
    if (ServiceProperties.isLoopback(address)) {
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
    if (reads == ServiceProperties.Reads.ANYONE) {
      throw new IllegalArgumentException(
          "tallystick.reads is anyone, which only a loopback address may have, not " + address);
    }
  }

  /// Ledgers carry the authority for ever: those of a development have none that anybody believes.
  static void checkInsecure(boolean insecure, String authority, @Nullable TlsProperties tls) {
    if (insecure && tls != null) {
      throw new IllegalArgumentException(
          "tallystick.insecure-dev is true and tallystick.tls is set; it is for services without");
    }
    if (insecure && !authority.equals(ServiceProperties.DEFAULT_AUTHORITY)) {
      throw new IllegalArgumentException(
          "tallystick.insecure-dev is true, which only the authority "
              + ServiceProperties.DEFAULT_AUTHORITY
              + " may have, not "
              + authority);
    }
  }

  static void checkTimes(Duration shutdownDelay, Duration connectionAge, Duration diskStall) {
    if (shutdownDelay.isNegative() || shutdownDelay.compareTo(SHUTDOWN_DELAY_MAX) > 0) {
      throw new IllegalArgumentException(
          "tallystick.shutdown-delay is "
              + shutdownDelay
              + ", want 0 to "
              + SHUTDOWN_DELAY_MAX.toSeconds()
              + " s");
    }
    if (!connectionAge.isZero() && connectionAge.compareTo(CONNECTION_AGE_MIN) < 0) {
      throw new IllegalArgumentException(
          "tallystick.connection-age is " + connectionAge + ", want 1 s or more, or 0 for none");
    }
    if (diskStall.compareTo(DISK_STALL_MIN) < 0 || diskStall.compareTo(DISK_STALL_MAX) > 0) {
      throw new IllegalArgumentException(
          "tallystick.disk-stall is "
              + diskStall
              + ", want "
              + DISK_STALL_MIN.toSeconds()
              + " to "
              + DISK_STALL_MAX.toSeconds()
              + " s");
    }
  }

  static void checkManagement(
      ManagementProperties management, int port, int httpPort, boolean ipv6) {
    Integer own = management.port();
    if (own != null && own != 0 && (own == port || own == httpPort)) {
      throw new IllegalArgumentException(
          "tallystick.management.port is "
              + own
              + ", and so is "
              + (own == port ? "tallystick.port" : "tallystick.http-port"));
    }
    if (!ipv6 && management.address().contains(":")) {
      throw new IllegalArgumentException(
          "tallystick.management.address is "
              + management.address()
              + ", an address of IPv6: that needs tallystick.ipv6");
    }
  }
}
