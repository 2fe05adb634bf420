package io.tallystick.wire;

import io.tallystick.model.Printable;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets in whom the internal authority certified for one of some roles in this cluster. Which
/// address a process has says nothing about it, so host names are not compared.
final class RoleTrust extends X509ExtendedTrustManager {
  private static final Logger LOG = LoggerFactory.getLogger(RoleTrust.class);

  private final X509TrustManager authority;
  private final Set<String> uris;

  /// @param authority trusts the internal one alone
  RoleTrust(X509TrustManager authority, String cluster, Set<WireRole> roles) {
    this.authority = authority;
    this.uris = roles.stream().map(role -> role.uri(cluster)).collect(Collectors.toSet());
  }

  /// @throws CertificateException unless the certificate has one of the roles, and no other
  void check(X509Certificate[] chain) throws CertificateException {
    List<String> has = WireRole.uris(chain[0]);
    if (has.size() != 1 || !uris.contains(has.getFirst())) {
      String refused =
          "a certificate of " + Printable.of(has.toString()) + " is refused, want one of " + uris;
      LOG.warn("{}", refused);
      throw new CertificateException(refused);
    }
  }

  private void checkClient(X509Certificate[] chain, String type) throws CertificateException {
    authority.checkClientTrusted(chain, type);
    check(chain);
  }

  private void checkServer(X509Certificate[] chain, String type) throws CertificateException {
    authority.checkServerTrusted(chain, type);
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    checkClient(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkClient(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkClient(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    checkServer(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkServer(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkServer(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return authority.getAcceptedIssuers();
  }
}
