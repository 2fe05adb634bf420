package io.tallystick.testkit.wire;

import io.tallystick.wire.WireTls;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/// The internal authority of a cluster, and the certificates it gives.
public final class TestCluster {
  private static final Duration LIFE = Duration.ofHours(1);

  private final Path directory;
  private final String cluster;
  private final KeyPair authority;
  private final X500Principal name;
  private int serial = 1;

  /// @param directory for its files
  public TestCluster(Path directory, String cluster)
      throws IOException, GeneralSecurityException, OperatorCreationException {
    this.directory = directory;
    this.cluster = cluster;
    this.authority = keys();
    this.name = new X500Principal("CN=authority of " + cluster);
    Files.writeString(directory.resolve("authority.pem"), certificate(name, authority, null));
  }

  private static KeyPair keys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  /// What a process holds whose certificate has this URI.
  public WireTls of(String uri)
      throws IOException, GeneralSecurityException, OperatorCreationException {
    KeyPair own = keys();
    Path chain = directory.resolve("chain-" + serial + ".pem");
    Path key = directory.resolve("key-" + serial + ".pem");
    Files.writeString(chain, certificate(new X500Principal("CN=" + serial), own, uri));
    Files.writeString(key, pem("PRIVATE KEY", own.getPrivate().getEncoded()));
    return new WireTls(cluster, directory.resolve("authority.pem"), chain, key);
  }

  private String certificate(X500Principal subject, KeyPair keys, @Nullable String uri)
      throws IOException, OperatorCreationException, GeneralSecurityException {
    Instant now = Instant.now();
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            name,
            BigInteger.valueOf(serial++),
            Date.from(now.minus(LIFE)),
            Date.from(now.plus(LIFE)),
            subject,
            keys.getPublic());
    if (uri == null) {
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
    } else {
      builder.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(new GeneralName(GeneralName.uniformResourceIdentifier, uri)));
    }
    return pem(
        "CERTIFICATE",
        builder
            .build(new JcaContentSignerBuilder("SHA256withECDSA").build(authority.getPrivate()))
            .getEncoded());
  }

  private static String pem(String label, byte[] der) {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
  }
}
