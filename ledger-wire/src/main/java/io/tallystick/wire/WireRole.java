package io.tallystick.wire;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// What a process is in a cluster, as the internal authority says in a URI of its certificate's
/// alternative names: `tallystick://CLUSTER/role/ROLE`.
public enum WireRole {
  PROXY,
  SERVER,
  MASTER;

  private static final int URI_NAME = 6;

  public String uri(String cluster) {
    return "tallystick://" + cluster + "/role/" + name().toLowerCase(Locale.ROOT);
  }

  /// The role in a certificate that {@link RoleTrust} let in.
  ///
  /// @throws CertificateParsingException if it has none, or more than one URI
  static WireRole of(X509Certificate certificate) throws CertificateParsingException {
    List<String> uris = uris(certificate);
    for (WireRole role : values()) {
      String end = "/role/" + role.name().toLowerCase(Locale.ROOT);
      if (uris.size() == 1 && uris.getFirst().endsWith(end)) {
        return role;
      }
    }
    throw new CertificateParsingException("a certificate without a role");
  }

  /// The URIs of a certificate.
  static List<String> uris(X509Certificate certificate) throws CertificateParsingException {
    List<String> uris = new ArrayList<>();
    var names = certificate.getSubjectAlternativeNames();
    if (names != null) {
      for (List<?> name : names) {
        if (name.get(0) instanceof Integer kind && kind == URI_NAME) {
          uris.add(String.valueOf(name.get(1)));
        }
      }
    }
    return uris;
  }
}
