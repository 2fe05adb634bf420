package io.tallystick.crypto.provider.time;

import io.tallystick.model.Bytes;
import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TokenRefusedException.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.tsp.TSTInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.CMSTypedData;
import org.bouncycastle.cms.SignerInformation;

/// A token taken apart: signed data over a TSTInfo, one signer, certificates. Nothing is verified
/// yet.
record ParsedToken(TSTInfo content, SignerInformation signer, List<X509Certificate> certificates) {
  private static final int CERTIFICATES_MAX = 16;

  static ParsedToken of(Bytes token) throws TokenRefusedException {
    try {
      byte[] bytes = token.toArray();
      ASN1Primitive whole = ASN1Primitive.fromByteArray(bytes);
      // Sets need not be in DER's order: authorities do not sort their certificates.
      if (!Arrays.equals(whole.getEncoded(ASN1Encoding.DL), bytes)) {
        throw malformed("not in definite, shortest lengths");
      }
      CMSSignedData data = new CMSSignedData(ContentInfo.getInstance(whole));
      return new ParsedToken(content(data), onlySigner(data), certificates(data));
    } catch (IOException | CMSException | CertificateException | RuntimeException e) {
      throw new TokenRefusedException(Reason.MALFORMED, "token: " + e.getMessage(), e);
    }
  }

  private static TokenRefusedException malformed(String detail) {
    return new TokenRefusedException(Reason.MALFORMED, "token: " + detail);
  }

  private static TSTInfo content(CMSSignedData data) throws TokenRefusedException, IOException {
    CMSTypedData content = data.getSignedContent();
    if (content == null
        || !content.getContentType().equals(PKCSObjectIdentifiers.id_ct_TSTInfo)
        || !(content.getContent() instanceof byte[] bytes)) {
      throw malformed("its content is no TSTInfo");
    }
    TSTInfo info = TSTInfo.getInstance(ASN1Primitive.fromByteArray(bytes));
    if (!Arrays.equals(info.getEncoded(ASN1Encoding.DER), bytes)) {
      throw malformed("its TSTInfo is not in DER");
    }
    return info;
  }

  private static SignerInformation onlySigner(CMSSignedData data) throws TokenRefusedException {
    Collection<SignerInformation> signers = data.getSignerInfos().getSigners();
    if (signers.size() != 1) {
      throw malformed(signers.size() + " signers, want 1");
    }
    return signers.iterator().next();
  }

  private static List<X509Certificate> certificates(CMSSignedData data)
      throws TokenRefusedException, CertificateException, IOException {
    Collection<X509CertificateHolder> held = data.getCertificates().getMatches(null);
    if (held.size() > CERTIFICATES_MAX) {
      throw malformed(held.size() + " certificates, at most " + CERTIFICATES_MAX);
    }
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    List<X509Certificate> certificates = new ArrayList<>();
    for (X509CertificateHolder each : held) {
      certificates.add(
          (X509Certificate)
              factory.generateCertificate(new ByteArrayInputStream(each.getEncoded())));
    }
    return List.copyOf(certificates);
  }
}
