package io.tallystick.certificate;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.Commitments;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.security.auth.x500.X500Principal;

/// The certificates that a member shows for its key, each followed by the one that issued it. A
/// grant names their digest; they are kept outside the log and can be erased. Nothing is verified
/// here. Source: `docs/formats/people-and-time.md`, "Certificate chain".
///
/// @param certificates in DER, the member's first; 1 to 8, at most 32,768 bytes as encoded
public record CertificateChain(List<Bytes> certificates) {
  public static final int CERTIFICATES_MAX = 8;

  /// Bytes of the CBOR array.
  public static final int BYTES_MAX = 32 << 10;

  /// Bytes of a file in PEM: three characters are two bytes, with room for text between the blocks.
  public static final int PEM_BYTES_MAX = 2 * BYTES_MAX;

  private static final int PEM_LINE = 64;

  public CertificateChain {
    certificates = List.copyOf(certificates);
    if (certificates.isEmpty() || certificates.size() > CERTIFICATES_MAX) {
      throw new IllegalArgumentException(
          certificates.size() + " certificates, want 1 to " + CERTIFICATES_MAX);
    }
    int bytes = encode(certificates).size();
    if (bytes > BYTES_MAX) {
      throw new IllegalArgumentException(
          "certificates of " + bytes + " bytes, want at most " + BYTES_MAX);
    }
  }

  private static Bytes encode(List<Bytes> ders) {
    CborWriter out = new CborWriter(2048).array(ders.size());
    ders.forEach(out::bytes);
    return out.toBytes();
  }

  public Bytes encode() {
    return encode(certificates);
  }

  /// The digest by which a grant names the chain.
  public Digest digest() {
    return Commitments.certificates(certificates);
  }

  /// @throws MalformedException unless it is one array of 1 to 8 certificates in DER
  public static CertificateChain decode(Bytes encoded) throws MalformedException {
    if (encoded.size() > BYTES_MAX) {
      throw new MalformedException(
          "certificate chain of " + encoded.size() + " bytes, want at most " + BYTES_MAX);
    }
    CborReader in = new CborReader(encoded);
    int count = in.arrayAtMost("certificate chain", CERTIFICATES_MAX);
    List<Bytes> ders = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ders.add(Bytes.wrap(in.bytes()));
    }
    in.end();
    return checked(ders);
  }

  /// From a file of certificates in PEM, the member's first; text between them is left out.
  ///
  /// @throws MalformedException also if there are none, or too many
  public static CertificateChain ofPem(Bytes file) throws MalformedException {
    if (file.size() > PEM_BYTES_MAX) {
      throw new MalformedException(
          "certificates of " + file.size() + " bytes in PEM, want at most " + PEM_BYTES_MAX);
    }
    try {
      List<Bytes> ders = new ArrayList<>();
      for (Certificate each :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(file.toArray()))) {
        ders.add(Bytes.wrap(each.getEncoded()));
      }
      return checked(ders);
    } catch (CertificateException e) {
      throw new MalformedException("certificates in PEM: " + e.getMessage(), e);
    }
  }

  private static CertificateChain checked(List<Bytes> ders) throws MalformedException {
    try {
      CertificateChain chain = new CertificateChain(ders);
      chain.parse();
      return chain;
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()), e);
    }
  }

  /// @throws MalformedException if one is no certificate in DER, whole and alone
  List<X509Certificate> parse() throws MalformedException {
    List<X509Certificate> parsed = new ArrayList<>(certificates.size());
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (Bytes der : certificates) {
        Certificate each = factory.generateCertificate(new ByteArrayInputStream(der.toArray()));
        // The factory also takes PEM, and leaves what follows.
        if (!Bytes.wrap(each.getEncoded()).equals(der)) {
          throw new MalformedException("certificate " + parsed.size() + " is not DER alone");
        }
        parsed.add((X509Certificate) each);
      }
      return parsed;
    } catch (CertificateException e) {
      throw new MalformedException("certificate " + parsed.size() + ": " + e.getMessage(), e);
    }
  }

  /// The name in the member's certificate, as RFC 2253 writes it.
  ///
  /// @throws MalformedException if it is no certificate
  public String subject() throws MalformedException {
    return parse().getFirst().getSubjectX500Principal().getName(X500Principal.RFC2253);
  }

  /// One block for each certificate (RFC 7468), the member's first.
  public String pem() {
    Base64.Encoder base64 =
        Base64.getMimeEncoder(PEM_LINE, "\n".getBytes(StandardCharsets.US_ASCII));
    StringBuilder text = new StringBuilder();
    for (Bytes der : certificates) {
      text.append("-----BEGIN CERTIFICATE-----\n")
          .append(base64.encodeToString(der.toArray()))
          .append("\n-----END CERTIFICATE-----\n");
    }
    return text.toString();
  }
}
