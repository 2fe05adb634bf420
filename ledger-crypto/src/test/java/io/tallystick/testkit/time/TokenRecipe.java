package io.tallystick.testkit.time;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1GeneralizedTime;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERSet;
import org.bouncycastle.asn1.DERUTF8String;
import org.bouncycastle.asn1.cmp.PKIFreeText;
import org.bouncycastle.asn1.cmp.PKIStatus;
import org.bouncycastle.asn1.cmp.PKIStatusInfo;
import org.bouncycastle.asn1.cms.Attribute;
import org.bouncycastle.asn1.cms.AttributeTable;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.asn1.ess.ESSCertID;
import org.bouncycastle.asn1.ess.ESSCertIDv2;
import org.bouncycastle.asn1.ess.SigningCertificate;
import org.bouncycastle.asn1.ess.SigningCertificateV2;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.tsp.Accuracy;
import org.bouncycastle.asn1.tsp.MessageImprint;
import org.bouncycastle.asn1.tsp.TSTInfo;
import org.bouncycastle.asn1.tsp.TimeStampResp;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.cert.jcajce.JcaCertStore;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedDataGenerator;
import org.bouncycastle.cms.DefaultSignedAttributeTableGenerator;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoGeneratorBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.tsp.TimeStampRequest;
import org.jspecify.annotations.Nullable;

/// How a token is made; each method gives another recipe.
///
/// @param accuracyMs null: not stated
/// @param nonce null: the one asked with
/// @param imprint null: the one asked for
public record TokenRecipe(
    PrivateKey key,
    X509Certificate signer,
    X509Certificate named,
    boolean namedBySha1,
    List<X509Certificate> inside,
    Instant genTime,
    @Nullable Integer accuracyMs,
    String policy,
    @Nullable BigInteger nonce,
    @Nullable Bytes imprint,
    int status) {
  public static final String POLICY = "1.3.6.1.4.1.99999.1";

  // DER: a fraction, if any, without zeros at its end.
  private static final DateTimeFormatter GENERALIZED =
      new DateTimeFormatterBuilder()
          .appendPattern("yyyyMMddHHmmss")
          .appendFraction(ChronoField.MILLI_OF_SECOND, 0, 3, true)
          .appendLiteral('Z')
          .toFormatter(Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  TokenRecipe(PrivateKey key, X509Certificate signer, List<X509Certificate> inside) {
    this(
        key,
        signer,
        signer,
        false,
        inside,
        Instant.EPOCH,
        500,
        POLICY,
        null,
        null,
        PKIStatus.GRANTED);
  }

  public TokenRecipe at(Instant time) {
    return new TokenRecipe(
        key, signer, named, namedBySha1, inside, time, accuracyMs, policy, nonce, imprint, status);
  }

  public TokenRecipe accurateTo(@Nullable Integer millis) {
    return new TokenRecipe(
        key, signer, named, namedBySha1, inside, genTime, millis, policy, nonce, imprint, status);
  }

  public TokenRecipe under(String otherPolicy) {
    return new TokenRecipe(
        key,
        signer,
        named,
        namedBySha1,
        inside,
        genTime,
        accuracyMs,
        otherPolicy,
        nonce,
        imprint,
        status);
  }

  /// Certificates that the token carries.
  public TokenRecipe with(List<X509Certificate> certificates) {
    return new TokenRecipe(
        key,
        signer,
        named,
        namedBySha1,
        certificates,
        genTime,
        accuracyMs,
        policy,
        nonce,
        imprint,
        status);
  }

  /// Another certificate of the same key names the signer.
  public TokenRecipe signedAs(X509Certificate other, List<X509Certificate> certificates) {
    return new TokenRecipe(
        key,
        other,
        other,
        namedBySha1,
        certificates,
        genTime,
        accuracyMs,
        policy,
        nonce,
        imprint,
        status);
  }

  /// The ESSCertIDv2 names this certificate.
  public TokenRecipe naming(X509Certificate other) {
    return new TokenRecipe(
        key,
        signer,
        other,
        namedBySha1,
        inside,
        genTime,
        accuracyMs,
        policy,
        nonce,
        imprint,
        status);
  }

  /// The token names its signer's certificate as RFC 2634 has it: by SHA-1.
  public TokenRecipe namingItsCertificateBySha1() {
    return new TokenRecipe(
        key, signer, named, true, inside, genTime, accuracyMs, policy, nonce, imprint, status);
  }

  /// The token answers with another nonce than was asked.
  public TokenRecipe answering(BigInteger otherNonce) {
    return new TokenRecipe(
        key,
        signer,
        named,
        namedBySha1,
        inside,
        genTime,
        accuracyMs,
        policy,
        otherNonce,
        imprint,
        status);
  }

  /// The token stamps another hash than was asked for.
  public TokenRecipe stamping(Bytes otherImprint) {
    return new TokenRecipe(
        key,
        signer,
        named,
        namedBySha1,
        inside,
        genTime,
        accuracyMs,
        policy,
        nonce,
        otherImprint,
        status);
  }

  /// The answer has this status, and no token unless that is 0.
  public TokenRecipe refusing(int otherStatus) {
    return new TokenRecipe(
        key,
        signer,
        named,
        namedBySha1,
        inside,
        genTime,
        accuracyMs,
        policy,
        nonce,
        imprint,
        otherStatus);
  }

  /// A TimeStampResp.
  Bytes response(TimeStampRequest request) throws IOException {
    PKIStatusInfo info =
        new PKIStatusInfo(
            PKIStatus.getInstance(new ASN1Integer(status)),
            new PKIFreeText(new DERUTF8String("as the test says")));
    ContentInfo token = status == PKIStatus.GRANTED ? token(request) : null;
    return Bytes.wrap(new TimeStampResp(info, token).getEncoded(ASN1Encoding.DER));
  }

  /// Made without the library's own generator of tokens, which makes good ones only.
  private ContentInfo token(TimeStampRequest request) throws IOException {
    try {
      CMSSignedDataGenerator generator = new CMSSignedDataGenerator();
      generator.addSignerInfoGenerator(
          new JcaSimpleSignerInfoGeneratorBuilder()
              .setSignedAttributeGenerator(
                  new DefaultSignedAttributeTableGenerator(new AttributeTable(certificateId())))
              .build("SHA256withECDSA", key, signer));
      generator.addCertificates(new JcaCertStore(inside));
      byte[] content = info(request).getEncoded(ASN1Encoding.DER);
      return generator
          .generate(new CMSProcessableByteArray(PKCSObjectIdentifiers.id_ct_TSTInfo, content), true)
          .toASN1Structure();
    } catch (GeneralSecurityException | OperatorCreationException | CMSException e) {
      throw new AssertionError(e);
    }
  }

  private Attribute certificateId() throws GeneralSecurityException {
    byte[] hash =
        MessageDigest.getInstance(namedBySha1 ? "SHA-1" : "SHA-256").digest(named.getEncoded());
    return namedBySha1
        ? new Attribute(
            PKCSObjectIdentifiers.id_aa_signingCertificate,
            new DERSet(new SigningCertificate(new ESSCertID(hash))))
        : new Attribute(
            PKCSObjectIdentifiers.id_aa_signingCertificateV2,
            new DERSet(new SigningCertificateV2(new ESSCertIDv2(hash))));
  }

  private TSTInfo info(TimeStampRequest request) {
    byte[] hash = imprint == null ? request.getMessageImprintDigest() : imprint.toArray();
    BigInteger answered = nonce == null ? request.getNonce() : nonce;
    return new TSTInfo(
        new ASN1ObjectIdentifier(policy),
        new MessageImprint(
            new AlgorithmIdentifier(
                hash.length == 32
                    ? NISTObjectIdentifiers.id_sha256
                    : NISTObjectIdentifiers.id_sha512),
            hash),
        new ASN1Integer(genTime.toEpochMilli()),
        new ASN1GeneralizedTime(GENERALIZED.format(genTime)),
        accuracyMs == null ? null : accuracy(accuracyMs),
        null,
        answered == null ? null : new ASN1Integer(answered),
        null,
        null);
  }

  /// DER leaves out what is 0.
  private static Accuracy accuracy(int millis) {
    return new Accuracy(
        new ASN1Integer(millis / 1_000),
        millis % 1_000 == 0 ? null : new ASN1Integer(millis % 1_000),
        null);
  }
}
