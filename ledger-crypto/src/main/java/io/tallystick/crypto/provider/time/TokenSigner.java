package io.tallystick.crypto.provider.time;

import io.tallystick.model.Digest;
import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TokenRefusedException.Reason;
import java.security.Provider;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import org.bouncycastle.asn1.ASN1EncodableVector;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.cms.Attribute;
import org.bouncycastle.asn1.cms.AttributeTable;
import org.bouncycastle.asn1.edec.EdECObjectIdentifiers;
import org.bouncycastle.asn1.ess.ESSCertIDv2;
import org.bouncycastle.asn1.ess.SigningCertificateV2;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.OperatorCreationException;

/// Who signed a token, as its signed attributes name the certificate.
record TokenSigner(SignerInformation signature, X509Certificate certificate) {
  private static final Provider BOUNCY_CASTLE = new BouncyCastleProvider();
  private static final String TIME_STAMPING = "1.3.6.1.5.5.7.3.8";
  private static final String EXTENDED_KEY_USAGE = "2.5.29.37";
  private static final int DIGITAL_SIGNATURE = 0;
  private static final int NON_REPUDIATION = 1;

  private static final Set<ASN1ObjectIdentifier> HASHES =
      Set.of(
          NISTObjectIdentifiers.id_sha256,
          NISTObjectIdentifiers.id_sha384,
          NISTObjectIdentifiers.id_sha512);

  private static final Set<ASN1ObjectIdentifier> SIGNATURES =
      Set.of(
          PKCSObjectIdentifiers.rsaEncryption, // hash by the digest algorithm beside it
          PKCSObjectIdentifiers.sha256WithRSAEncryption,
          PKCSObjectIdentifiers.sha384WithRSAEncryption,
          PKCSObjectIdentifiers.sha512WithRSAEncryption,
          X9ObjectIdentifiers.ecdsa_with_SHA256,
          X9ObjectIdentifiers.ecdsa_with_SHA384,
          X9ObjectIdentifiers.ecdsa_with_SHA512,
          EdECObjectIdentifiers.id_Ed25519);

  static TokenSigner of(ParsedToken token) throws TokenRefusedException {
    SignerInformation signer = token.signer();
    requireStrength(signer);
    Digest named = namedCertificate(signer.getSignedAttributes());
    List<X509Certificate> certificates = token.certificates();
    X509Certificate claimed = null;
    for (X509Certificate each : certificates) {
      if (isOf(signer, each)) {
        claimed = each;
        if (Rfc3161Tokens.sha256(each).equals(named)) {
          return new TokenSigner(signer, each);
        }
      }
    }
    if (claimed == null) {
      throw new TokenRefusedException(
          Reason.NO_CHAIN, "the signer's certificate is not among the " + certificates.size());
    }
    throw new TokenRefusedException(
        Reason.WRONG_CERTIFICATE,
        "the token names certificate "
            + named
            + ", the signer's has "
            + Rfc3161Tokens.sha256(claimed));
  }

  private static boolean isOf(SignerInformation signer, X509Certificate certificate) {
    try {
      return signer.getSID().match(new JcaX509CertificateHolder(certificate));
    } catch (CertificateEncodingException e) {
      throw new IllegalArgumentException("a certificate that was decoded", e);
    }
  }

  private static void requireStrength(SignerInformation signer) throws TokenRefusedException {
    ASN1ObjectIdentifier hash = signer.getDigestAlgorithmID().getAlgorithm();
    ASN1ObjectIdentifier algorithm =
        signer.toASN1Structure().getDigestEncryptionAlgorithm().getAlgorithm();
    boolean ed25519 = algorithm.equals(EdECObjectIdentifiers.id_Ed25519);
    if (!HASHES.contains(hash) || !SIGNATURES.contains(algorithm)) {
      throw new TokenRefusedException(
          Reason.WEAK_ALGORITHM, "signed by " + algorithm + " over " + hash);
    }
    if (ed25519 && !hash.equals(NISTObjectIdentifiers.id_sha512)) {
      throw new TokenRefusedException(
          Reason.WEAK_ALGORITHM, "Ed25519 over " + hash + ", want SHA-512 (RFC 8419)");
    }
  }

  /// The SHA-256 in the first ESSCertIDv2, which names the signer's certificate (RFC 5035).
  private static Digest namedCertificate(AttributeTable signed) throws TokenRefusedException {
    ASN1EncodableVector found =
        signed == null
            ? new ASN1EncodableVector()
            : signed.getAll(PKCSObjectIdentifiers.id_aa_signingCertificateV2);
    if (found.size() != 1) {
      throw new TokenRefusedException(
          Reason.NO_ESS_CERT_ID_V2, found.size() + " attributes signingCertificateV2, want 1");
    }
    Attribute attribute = Attribute.getInstance(found.get(0));
    if (attribute.getAttrValues().size() != 1) {
      throw new TokenRefusedException(
          Reason.NO_ESS_CERT_ID_V2,
          attribute.getAttrValues().size() + " values of signingCertificateV2, want 1");
    }
    ESSCertIDv2[] names =
        SigningCertificateV2.getInstance(attribute.getAttrValues().getObjectAt(0)).getCerts();
    if (names.length == 0
        || !names[0].getHashAlgorithm().getAlgorithm().equals(NISTObjectIdentifiers.id_sha256)
        || names[0].getCertHash().length != Digest.BYTES) {
      throw new TokenRefusedException(
          Reason.NO_ESS_CERT_ID_V2, "signingCertificateV2 names none by SHA-256");
    }
    return Digest.of(names[0].getCertHash());
  }

  /// RFC 3161 section 2.3: one extended key usage, time-stamping, critical.
  void requireUsage() throws TokenRefusedException {
    List<String> usages;
    try {
      usages = certificate.getExtendedKeyUsage();
    } catch (CertificateParsingException e) {
      throw new TokenRefusedException(Reason.MALFORMED, "key usage: " + e.getMessage(), e);
    }
    Set<String> critical = certificate.getCriticalExtensionOIDs();
    if (usages == null
        || !usages.equals(List.of(TIME_STAMPING))
        || critical == null
        || !critical.contains(EXTENDED_KEY_USAGE)) {
      throw new TokenRefusedException(
          Reason.WRONG_USAGE,
          "extended key usages " + usages + ", want time-stamping alone, critical");
    }
    boolean[] bits = certificate.getKeyUsage();
    if (bits != null && !bits[DIGITAL_SIGNATURE] && !bits[NON_REPUDIATION]) {
      throw new TokenRefusedException(Reason.WRONG_USAGE, "the certificate's key may not sign");
    }
  }

  void requireSignature() throws TokenRefusedException {
    boolean holds;
    try {
      holds =
          signature.verify(
              new JcaSimpleSignerInfoVerifierBuilder()
                  .setProvider(BOUNCY_CASTLE)
                  .build(certificate.getPublicKey()));
    } catch (CMSException | OperatorCreationException e) {
      throw new TokenRefusedException(
          Reason.BAD_SIGNATURE, "the signature does not verify: " + e.getMessage(), e);
    }
    if (!holds) {
      throw new TokenRefusedException(Reason.BAD_SIGNATURE, "the signature does not verify");
    }
  }
}
