package io.tallystick.proxy;

import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/// Certificate, key and trusted issuers of gRPC, as the framework's bundle has them now: one that
/// watches the files serves both fronts. New connections get what is new; those that are open stay.
final class TransportSecurity {
  private static final Logger LOG = LoggerFactory.getLogger(TransportSecurity.class);
  private static final String BUNDLE = "tallystick";
  private static final String PREFIX = "spring.ssl.bundle.pem." + BUNDLE + ".";

  /// Certificate and key are two files: both must have come to rest.
  private static final String QUIET = "2s";

  private final AdvancedTlsX509KeyManager keyManager = new AdvancedTlsX509KeyManager();
  private final AdvancedTlsX509TrustManager trustManager;
  private final boolean clientsShowCertificates;
  private final InstantSource clock;
  private volatile Instant validUntil = Instant.EPOCH;

  private TransportSecurity(
      InstantSource clock, AdvancedTlsX509TrustManager trustManager, boolean clients) {
    this.clock = clock;
    this.trustManager = trustManager;
    this.clientsShowCertificates = clients;
  }

  /// The framework's settings, for the HTTP server and for us.
  static Map<String, Object> settings(TlsProperties tls) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(PREFIX + "reload-on-update", true);
    settings.put(PREFIX + "keystore.certificate", file(tls.certificate()));
    settings.put(PREFIX + "keystore.private-key", file(tls.privateKey()));
    settings.put(PREFIX + "keystore.verify-keys", true);
    settings.put("spring.ssl.bundle.watch.file.quiet-period", QUIET);
    settings.put("server.ssl.enabled", true);
    settings.put("server.ssl.bundle", BUNDLE);
    settings.put("server.ssl.client-auth", tls.clientCa() == null ? "none" : "need");
    if (tls.clientCa() != null) {
      settings.put(PREFIX + "truststore.certificate", file(tls.clientCa()));
    }
    return settings;
  }

  private static String file(@Nullable String path) {
    return Path.of(Objects.requireNonNull(path)).toUri().toString();
  }

  static TransportSecurity of(SslBundles bundles, TlsProperties tls, InstantSource clock)
      throws GeneralSecurityException, IOException {
    TransportSecurity security =
        new TransportSecurity(
            clock, AdvancedTlsX509TrustManager.newBuilder().build(), tls.clientCa() != null);
    security.take(bundles.getBundle(BUNDLE));
    bundles.addBundleUpdateHandler(BUNDLE, security::replace);
    return security;
  }

  /// Shows how long the chain that new connections get is still valid; negative afterwards.
  ///
  /// @param security null: without TLS, which shows as `NaN`
  static void meter(@Nullable TransportSecurity security, MeterRegistry meters) {
    TimeGauge.builder(
            "ledger.tls.certificate.left",
            () -> security == null ? Double.NaN : (Number) security.leftMs(),
            TimeUnit.MILLISECONDS)
        .description("until the first certificate of the service's own chain expires")
        .register(meters);
  }

  private long leftMs() {
    return validUntil.toEpochMilli() - clock.millis();
  }

  private void replace(SslBundle bundle) {
    try {
      take(bundle);
      LOG.info("Took the new certificate");
    } catch (GeneralSecurityException | IOException | RuntimeException e) {
      LOG.error("The new certificate cannot be used; the old one stays", e);
    }
  }

  private void take(SslBundle bundle) throws GeneralSecurityException, IOException {
    KeyStore keys = Objects.requireNonNull(bundle.getStores().getKeyStore());
    String alias = keys.aliases().nextElement();
    String password = bundle.getStores().getKeyStorePassword();
    char[] secret = password == null ? new char[0] : password.toCharArray();
    PrivateKey key = (PrivateKey) keys.getKey(alias, secret);
    X509Certificate[] chain =
        Arrays.copyOf(
            keys.getCertificateChain(alias),
            keys.getCertificateChain(alias).length,
            X509Certificate[].class);
    X509Certificate[] issuers =
        clientsShowCertificates
            ? issuers(Objects.requireNonNull(bundle.getStores().getTrustStore()))
            : new X509Certificate[0];
    // Nothing is set before all of it could be read.
    if (clientsShowCertificates) {
      trustManager.updateTrustCredentials(issuers);
    }
    keyManager.updateIdentityCredentials(chain, key);
    validUntil = firstEnd(chain);
    if (validUntil.isBefore(clock.instant())) {
      LOG.error("The certificate expired on {}: no client accepts it", validUntil);
    }
  }

  private static Instant firstEnd(X509Certificate[] chain) {
    return Arrays.stream(chain)
        .map(each -> each.getNotAfter().toInstant())
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  private static X509Certificate[] issuers(KeyStore store) throws GeneralSecurityException {
    List<X509Certificate> issuers = new ArrayList<>();
    for (String alias : Collections.list(store.aliases())) {
      issuers.add((X509Certificate) store.getCertificate(alias));
    }
    return issuers.toArray(X509Certificate[]::new);
  }

  ServerCredentials credentials() {
    TlsServerCredentials.Builder credentials =
        TlsServerCredentials.newBuilder().keyManager(keyManager);
    if (clientsShowCertificates) {
      credentials.trustManager(trustManager).clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
    }
    return credentials.build();
  }
}
