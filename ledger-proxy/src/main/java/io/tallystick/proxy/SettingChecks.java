package io.tallystick.proxy;

/// Checks of groups of settings against one another.
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

  /// A proxy that has such a setting must not start, as if it had an effect.
  static void checkNoDuties(OutsideProperties outside) {
    refuse(outside.time().authorities() != null, "time.authorities", "masters");
    refuse(outside.time().submit() != null, "time.submit", "masters");
    refuse(outside.time().tLedger(), "time.t-ledger", "servers");
    refuse(outside.witness().witnesses() != null, "witness.witnesses", "masters");
  }

  private static void refuse(boolean given, String name, String roles) {
    if (given) {
      throw new IllegalArgumentException(
          "tallystick." + name + " is a setting of " + roles + ", not of a proxy");
    }
  }
}
