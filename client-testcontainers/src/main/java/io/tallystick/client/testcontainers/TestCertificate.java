package io.tallystick.client.testcontainers;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// A certificate that signs itself (P-256), for a test's length, and its key, both in PEM.
record TestCertificate(String chain, String key) {
  private static final Duration LIFE = Duration.ofDays(2);
  private static final Duration CLOCKS_APART_MAX = Duration.ofHours(1);

  /// @param host by which clients reach the service: a name, or an IPv4 address
  static TestCertificate of(String host) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair keys = generator.generateKeyPair();
      Instant now = Instant.now();
      X500Principal name = new X500Principal("CN=tallystick in a test");
      X509CertificateHolder made =
          new JcaX509v3CertificateBuilder(
                  name,
                  BigInteger.valueOf(now.toEpochMilli()),
                  Date.from(now.minus(CLOCKS_APART_MAX)),
                  Date.from(now.plus(LIFE)),
                  name,
                  keys.getPublic())
              .addExtension(
                  Extension.subjectAlternativeName,
                  false,
                  new GeneralNames(
                      new GeneralName[] {
                        new GeneralName(GeneralName.dNSName, "localhost"), general(host)
                      }))
              .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate()));
      return new TestCertificate(
          pem("CERTIFICATE", made.getEncoded()),
          pem("PRIVATE KEY", keys.getPrivate().getEncoded()));
    } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
      throw new IllegalStateException("this Java runtime makes no P-256 certificate", e);
    }
  }

  private static GeneralName general(String host) {
    boolean address = host.matches("[0-9]+(\\.[0-9]+){3}");
    return new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, host);
  }

  private static String pem(String label, byte[] der) {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
  }
}
