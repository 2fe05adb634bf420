package io.tallystick.wire;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/// By what a process shows who it is, and knows the others of its cluster.
///
/// @param authority certificates of the internal authority, in PEM
/// @param chain the process's own certificate first, in PEM
/// @param key its private key, PKCS#8 in PEM
public record WireTls(String cluster, Path authority, Path chain, Path key) {
  /// For a server.
  ///
  /// @param callers who may call
  /// @throws IOException if the own certificate is none of a server, or a file is bad
  SslContext server(Set<WireRole> callers) throws IOException {
    try {
      return GrpcSslContexts.configure(keyed(WireRole.SERVER, true))
          .trustManager(trust(callers))
          .clientAuth(ClientAuth.REQUIRE)
          .build();
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw bad(e);
    }
  }

  /// For who calls servers.
  ///
  /// @throws IOException if the own certificate is of another role, or a file is bad
  SslContext client(WireRole own) throws IOException {
    try {
      return GrpcSslContexts.configure(keyed(own, false))
          .trustManager(trust(Set.of(WireRole.SERVER)))
          .build();
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw bad(e);
    }
  }

  private IOException bad(Exception e) {
    return new IOException(
        "the certificates in " + chain + " and " + authority + " do not do: " + e.getMessage(), e);
  }

  private SslContextBuilder keyed(WireRole own, boolean server)
      throws IOException, GeneralSecurityException {
    List<X509Certificate> mine = certificates(chain);
    new RoleTrust(trusting(), cluster, Set.of(own)).check(mine.toArray(X509Certificate[]::new));
    byte[] certificate = Files.readAllBytes(chain);
    byte[] secret = Files.readAllBytes(key);
    return server
        ? SslContextBuilder.forServer(
            new ByteArrayInputStream(certificate), new ByteArrayInputStream(secret))
        : SslContextBuilder.forClient()
            .keyManager(new ByteArrayInputStream(certificate), new ByteArrayInputStream(secret));
  }

  private RoleTrust trust(Set<WireRole> roles) throws IOException, GeneralSecurityException {
    return new RoleTrust(trusting(), cluster, roles);
  }

  private X509TrustManager trusting() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int number = 0;
    for (X509Certificate each : certificates(authority)) {
      store.setCertificateEntry("authority-" + number++, each);
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    for (TrustManager each : factory.getTrustManagers()) {
      if (each instanceof X509TrustManager trusting) {
        return trusting;
      }
    }
    throw new GeneralSecurityException("this Java runtime judges no certificates");
  }

  private static List<X509Certificate> certificates(Path pem)
      throws IOException, GeneralSecurityException {
    List<X509Certificate> all = new ArrayList<>();
    for (Certificate each :
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(pem)))) {
      all.add((X509Certificate) each);
    }
    if (all.isEmpty()) {
      throw new IOException(pem + " has no certificate");
    }
    return all;
  }
}
