package io.tallystick.testkit.time;

import io.tallystick.model.Bytes;
import io.tallystick.time.TrustedAuthorities;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.tsp.TimeStampRequest;
import org.jspecify.annotations.Nullable;

/// A root, an intermediate and a time-stamp authority below it, with fresh keys (P-256). The
/// certificates hold for ten years around the moment they are made.
public final class TestTimeAuthority {
  private static final Duration YEARS = Duration.ofDays(5 * 365);

  private final X509Certificate root;
  private final X509Certificate intermediate;
  private final KeyPair intermediateKeys;
  private final KeyPair keys;
  private final X509Certificate certificate;
  private int serial;

  public TestTimeAuthority(String name) {
    try {
      KeyPair rootKeys = newKeys();
      intermediateKeys = newKeys();
      keys = newKeys();
      Instant now = Instant.now();
      Issued ofCa = new Issued(now.minus(YEARS), now.plus(YEARS), true, List.of());
      root = issue("CN=" + name + " root", rootKeys, null, rootKeys, ofCa);
      intermediate = issue("CN=" + name + " CA", intermediateKeys, root, rootKeys, ofCa);
      certificate = issueSigner(Usage.timeStamping(now.minus(YEARS), now.plus(YEARS)));
    } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
      throw new AssertionError(e);
    }
  }

  /// What a signer's certificate is for, and when it holds.
  public record Usage(Instant from, Instant to, List<KeyPurposeId> purposes, boolean critical) {
    public static Usage timeStamping(Instant from, Instant to) {
      return new Usage(from, to, List.of(KeyPurposeId.id_kp_timeStamping), true);
    }
  }

  private record Issued(Instant from, Instant to, boolean ca, List<Extension> extensions) {}

  /// Another certificate of this authority's key.
  public X509Certificate issueSigner(Usage usage) {
    try {
      Extension purposes =
          Extension.create(
              Extension.extendedKeyUsage,
              usage.critical(),
              new ExtendedKeyUsage(usage.purposes().toArray(KeyPurposeId[]::new)));
      return issue(
          "CN=time-stamp authority",
          keys,
          intermediate,
          intermediateKeys,
          new Issued(usage.from(), usage.to(), false, List.of(purposes)));
    } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private static KeyPair newKeys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  private X509Certificate issue(
      String subject, KeyPair of, @Nullable X509Certificate issuer, KeyPair by, Issued issued)
      throws GeneralSecurityException, OperatorCreationException, IOException {
    X500Principal name = new X500Principal(subject);
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            issuer == null ? name : issuer.getSubjectX500Principal(),
            BigInteger.valueOf(++serial),
            Date.from(issued.from),
            Date.from(issued.to),
            name,
            of.getPublic());
    if (issued.ca) {
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
    }
    for (Extension extension : issued.extensions) {
      builder.addExtension(extension);
    }
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(by.getPrivate())));
  }

  public X509Certificate root() {
    return root;
  }

  public X509Certificate intermediate() {
    return intermediate;
  }

  /// The signer's certificate that tokens carry unless a recipe says otherwise.
  public X509Certificate certificate() {
    return certificate;
  }

  /// Who trusts this authority.
  public TrustedAuthorities trusted() {
    return new TrustedAuthorities(List.of(root));
  }

  /// What this authority makes of a question unless a test changes it: a token of now, accurate to
  /// half a second, with signer and intermediate inside.
  public TokenRecipe recipe(Instant genTime) {
    return new TokenRecipe(keys.getPrivate(), certificate, List.of(certificate, intermediate))
        .at(genTime);
  }

  /// An answer to a question.
  ///
  /// @param query a TimeStampReq
  /// @param change of the recipe
  /// @return a TimeStampResp
  public Bytes answer(Bytes query, Instant genTime, UnaryOperator<TokenRecipe> change) {
    try {
      TimeStampRequest request = new TimeStampRequest(query.toArray());
      return change.apply(recipe(genTime)).response(request);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
