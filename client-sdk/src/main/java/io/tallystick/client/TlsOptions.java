package io.tallystick.client;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.tallystick.crypto.PrivateKeyPem;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/// How to know a service over TLS, and how to be known there.
public final class TlsOptions {
  /// Issuers that the Java runtime trusts, and no certificate of one's own.
  public static final TlsOptions DEFAULT = new TlsOptions(null, null);

  private final @Nullable TrustManager trust;
  private final @Nullable KeyManager own;

  private TlsOptions(@Nullable TrustManager trust, @Nullable KeyManager own) {
    this.trust = trust;
    this.own = own;
  }

  /// All files are PEM and are read now.
  ///
  /// @param issuers certificates to trust; null: those that the Java runtime trusts
  /// @param certificate this client's own chain; null: it shows none
  /// @param privateKey its key, PKCS#8, unencrypted; with `certificate` or not at all
  /// @throws IOException if a file cannot be read or does not hold what it should
  public static TlsOptions of(
      @Nullable Path issuers, @Nullable Path certificate, @Nullable Path privateKey)
      throws IOException {
    if ((certificate == null) != (privateKey == null)) {
      throw new IllegalArgumentException("a client's certificate and private key belong together");
    }
    return new TlsOptions(
        issuers == null ? null : trustManager(issuers),
        certificate == null || privateKey == null ? null : keyManager(certificate, privateKey));
  }

  /// For gRPC.
  ChannelCredentials credentials() {
    TlsChannelCredentials.Builder credentials = TlsChannelCredentials.newBuilder();
    if (trust != null) {
      credentials.trustManager(trust);
    }
    if (own != null) {
      credentials.keyManager(own);
    }
    return credentials.build();
  }

  /// For HTTP.
  public SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          own == null ? null : new KeyManager[] {own},
          trust == null ? null : new TrustManager[] {trust},
          null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime has no TLS", e);
    }
  }

  private static TrustManager trustManager(Path issuers) throws IOException {
    try {
      AdvancedTlsX509TrustManager manager = AdvancedTlsX509TrustManager.newBuilder().build();
      manager.updateTrustCredentials(issuers.toFile());
      return manager;
    } catch (GeneralSecurityException e) {
      throw new IOException(issuers + " holds no certificates in PEM: " + e.getMessage(), e);
    }
  }

  private static KeyManager keyManager(Path chain, Path key) throws IOException {
    byte[] content = Files.readAllBytes(key);
    try {
      PrivateKeyPem.checkPkcs8(content);
      AdvancedTlsX509KeyManager manager = new AdvancedTlsX509KeyManager();
      manager.updateIdentityCredentials(chain.toFile(), key.toFile());
      return manager;
    } catch (MalformedException e) {
      throw new IOException(key + ": " + e.getMessage(), e);
    } catch (GeneralSecurityException e) {
      throw new IOException(
          chain + " and " + key + " are no certificate and key in PEM: " + e.getMessage(), e);
    } finally {
      Arrays.fill(content, (byte) 0);
    }
  }
}
