package io.tallystick.testkit;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.ASN1EncodableVector;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERBitString;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x509.Time;
import org.bouncycastle.asn1.x509.V3TBSCertificateGenerator;

/// An authority that certifies members' keys, for tests: the same names are the same bytes.
///
/// @param certificates its own, and those it was issued by up to the root's
public record TestAuthority(String name, SeededSigner key, List<Bytes> certificates) {
  /// 2020-01-01T00:00:00Z and twenty years later.
  public static final long FROM_MS = 1_577_836_800_000L;

  public static final long TO_MS = 2_208_988_800_000L;

  /// What a certificate says besides names and key.
  ///
  /// @param usage bits of KeyUsage
  public record Terms(long fromMs, long toMs, int usage, boolean authority) {
    public static final Terms MEMBER = new Terms(FROM_MS, TO_MS, KeyUsage.digitalSignature, false);
    public static final Terms AUTHORITY = new Terms(FROM_MS, TO_MS, KeyUsage.keyCertSign, true);

    public Terms until(long ms) {
      return new Terms(fromMs, ms, usage, authority);
    }

    public Terms since(long ms) {
      return new Terms(ms, toMs, usage, authority);
    }

    public Terms forUsage(int bits) {
      return new Terms(fromMs, toMs, bits, authority);
    }
  }

  /// One that signed for itself (Ed25519).
  public static TestAuthority root(String name) {
    return root(name, SeededSigner.ed25519(name), Terms.AUTHORITY);
  }

  public static TestAuthority root(String name, SeededSigner key, Terms terms) {
    TestAuthority unnamed = new TestAuthority(name, key, List.of());
    return new TestAuthority(name, key, List.of(unnamed.issue(name, key.publicKey(), terms)));
  }

  /// One that this one certified.
  public TestAuthority below(String other) {
    SeededSigner its = SeededSigner.es256(other);
    return new TestAuthority(
        other, its, with(issue(other, its.publicKey(), Terms.AUTHORITY), certificates));
  }

  private static List<Bytes> with(Bytes first, List<Bytes> others) {
    List<Bytes> all = new ArrayList<>(List.of(first));
    all.addAll(others);
    return all;
  }

  /// The chain of a member: its certificate and those of the authorities above, without the root's.
  public CertificateChain chain(String subject, PublicKey member, Terms terms) {
    return new CertificateChain(
        with(issue(subject, member, terms), certificates.subList(0, certificates.size() - 1)));
  }

  public CertificateChain chain(String subject, PublicKey member) {
    return chain(subject, member, Terms.MEMBER);
  }

  /// The root's certificate in PEM, as an operator lists it.
  public String rootPem() {
    return new CertificateChain(List.of(certificates.getLast())).pem();
  }

  /// Who trusts its root.
  public CertificateAuthorities trusted() {
    try {
      return CertificateAuthorities.decode(Bytes.utf8(rootPem()));
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// A certificate in DER.
  public Bytes issue(String subject, PublicKey of, Terms terms) {
    AlgorithmIdentifier algorithm =
        new AlgorithmIdentifier(
            new ASN1ObjectIdentifier(
                key.publicKey().algorithm() == SignatureAlgorithm.ED25519
                    ? "1.3.101.112"
                    : "1.2.840.10045.4.3.2"));
    V3TBSCertificateGenerator generator = new V3TBSCertificateGenerator();
    generator.setSerialNumber(new ASN1Integer(BigInteger.valueOf(7)));
    generator.setSignature(algorithm);
    generator.setIssuer(new X500Name("CN=" + name));
    generator.setSubject(new X500Name("CN=" + subject));
    generator.setStartDate(time(terms.fromMs));
    generator.setEndDate(time(terms.toMs));
    generator.setSubjectPublicKeyInfo(SubjectPublicKeyInfo.getInstance(of.spki().toArray()));
    try {
      generator.setExtensions(extensions(terms));
      byte[] content = generator.generateTBSCertificate().getEncoded("DER");
      ASN1EncodableVector signed = new ASN1EncodableVector();
      signed.add(generator.generateTBSCertificate());
      signed.add(algorithm);
      signed.add(new DERBitString(signature(key.sign(content))));
      return Bytes.wrap(new DERSequence(signed).getEncoded("DER"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Time time(long ms) {
    return new Time(Date.from(Instant.ofEpochMilli(ms)));
  }

  private static Extensions extensions(Terms terms) throws IOException {
    List<Extension> all = new ArrayList<>();
    all.add(Extension.create(Extension.keyUsage, true, new KeyUsage(terms.usage)));
    if (terms.authority) {
      all.add(Extension.create(Extension.basicConstraints, true, new BasicConstraints(true)));
    }
    return new Extensions(all.toArray(Extension[]::new));
  }

  private byte[] signature(byte[] raw) throws IOException {
    if (key.publicKey().algorithm() == SignatureAlgorithm.ED25519) {
      return raw;
    }
    ASN1EncodableVector pair = new ASN1EncodableVector();
    pair.add(new ASN1Integer(new BigInteger(1, Arrays.copyOf(raw, 32))));
    pair.add(new ASN1Integer(new BigInteger(1, Arrays.copyOfRange(raw, 32, 64))));
    return new DERSequence(pair).getEncoded("DER");
  }
}
