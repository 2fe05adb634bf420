package io.tallystick.proxy;

/// What groups of settings must be to one another.
final class SettingChecks {
  private SettingChecks() {}

  static void checkReads(ServiceProperties.Reads reads, ListenProperties listen) {
    if (reads == ServiceProperties.Reads.ANYONE && !listen.loopback()) {
      throw new IllegalArgumentException(
          "tallystick.reads is anyone, which only a loopback address may have, not "
              + listen.address());
    }
  }

  /// Ledgers carry the authority for ever: those of a development have none that anybody believes.
  static void checkInsecure(ListenProperties listen, String authority) {
    if (listen.insecureDev() && !authority.equals(ServiceProperties.DEFAULT_AUTHORITY)) {
      throw new IllegalArgumentException(
          "tallystick.insecure-dev is true, which only the authority "
              + ServiceProperties.DEFAULT_AUTHORITY
              + " may have, not "
              + authority);
    }
  }

  static void checkManagement(ManagementProperties management, ListenProperties listen) {
    Integer own = management.port();
    if (own != null && own != 0 && (own == listen.port() || own == listen.wantedHttpPort())) {
      throw new IllegalArgumentException(
          "tallystick.management.port is "
              + own
              + ", and so is "
              + (own == listen.port() ? "tallystick.port" : "tallystick.http-port"));
    }
    if (!listen.ipv6() && management.address().contains(":")) {
      throw new IllegalArgumentException(
          "tallystick.management.address is "
              + management.address()
              + ", an address of IPv6: that needs tallystick.ipv6");
    }
  }
}
