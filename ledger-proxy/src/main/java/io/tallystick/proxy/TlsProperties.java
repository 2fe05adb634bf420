package io.tallystick.proxy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Transport security, of gRPC and REST alike. The files are read again when they change.
///
/// @param certificate `tallystick.tls.certificate`: file with the chain in PEM, the service's own
///   first
/// @param privateKey `tallystick.tls.private-key`: file with its key, PKCS#8 in PEM, unencrypted
/// @param clientCa `tallystick.tls.client-ca`: file with certificates in PEM; if there is one,
///   every client must show a certificate that one of them signed
public record TlsProperties(
    @Nullable String certificate, @Nullable String privateKey, @Nullable String clientCa) {
  public TlsProperties {
    check("certificate", certificate);
    check("private-key", privateKey);
    if (clientCa != null && clientCa.isBlank()) {
      throw new IllegalArgumentException("tallystick.tls.client-ca is empty");
    }
  }

  private static void check(String name, @Nullable String file) {
    if (file == null || file.isBlank()) {
      throw new IllegalArgumentException("tallystick.tls." + name + " is missing");
    }
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.tls.certificate=" + certificate);
    arguments.add("--tallystick.tls.private-key=" + privateKey);
    if (clientCa != null) {
      arguments.add("--tallystick.tls.client-ca=" + clientCa);
    }
    return arguments;
  }
}
