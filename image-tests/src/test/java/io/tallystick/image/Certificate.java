package io.tallystick.image;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// A certificate that signs itself (P-256), for two days, and its key, both in PEM.
record Certificate(X509Certificate certificate, String chain, String key) {
  private static final Duration DAY = Duration.ofDays(1);

  /// @param names of its subject in DNS; none: it is an authority's
  static Certificate of(String subject, String... names) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair keys = generator.generateKeyPair();
    Instant now = Instant.now();
    X500Principal name = new X500Principal("CN=" + subject);
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            name,
            BigInteger.valueOf(now.toEpochMilli()),
            Date.from(now.minus(DAY)),
            Date.from(now.plus(DAY)),
            name,
            keys.getPublic());
    if (names.length == 0) {
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
    } else {
      GeneralName[] general = new GeneralName[names.length];
      for (int i = 0; i < names.length; i++) {
        general[i] = new GeneralName(GeneralName.dNSName, names[i]);
      }
      builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(general));
    }
    X509Certificate made =
        new JcaX509CertificateConverter()
            .getCertificate(
                builder.build(
                    new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    return new Certificate(
        made,
        pem("CERTIFICATE", made.getEncoded()),
        pem("PRIVATE KEY", keys.getPrivate().getEncoded()));
  }

  private static String pem(String type, byte[] der) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + type + "-----\n" + lines + "\n-----END " + type + "-----\n";
  }

  /// As a Secret of the type `kubernetes.io/tls`.
  Map<String, String> secret() {
    return Map.of("tls.crt", chain, "tls.key", key);
  }
}
