package io.tallystick.crypto.provider.time;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.time.TimeQuery;
import io.tallystick.time.TimeTokens;
import io.tallystick.time.TokenFacts;
import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TokenRefusedException.Reason;
import io.tallystick.time.TrustedAuthorities;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.cmp.PKIStatus;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.tsp.TimeStampResp;
import org.bouncycastle.tsp.TimeStampRequestGenerator;

/// The tokens of RFC 3161 and RFC 5816. Rules and their reasons: `docs/formats/time-token.md`.
public final class Rfc3161Tokens implements TimeTokens {
  private static final int STATUS_TEXT_LENGTH_MAX = 200;

  public Rfc3161Tokens() {}

  @Override
  public Bytes query(TimeQuery query) {
    TimeStampRequestGenerator generator = new TimeStampRequestGenerator();
    generator.setCertReq(true);
    if (query.policy() != null) {
      generator.setReqPolicy(new ASN1ObjectIdentifier(query.policy()));
    }
    try {
      return Bytes.wrap(
          generator
              .generate(NISTObjectIdentifiers.id_sha256, query.imprint().toArray(), query.nonce())
              .getEncoded());
    } catch (IOException e) {
      throw new UncheckedIOException("nothing is written to but memory", e);
    }
  }

  @Override
  public Bytes tokenOf(Bytes response) throws TokenRefusedException {
    byte[] token = grantedToken(response);
    requireLength(token.length);
    return Bytes.wrap(token);
  }

  private static byte[] grantedToken(Bytes response) throws TokenRefusedException {
    try {
      TimeStampResp answer =
          TimeStampResp.getInstance(ASN1Primitive.fromByteArray(response.toArray()));
      int status = answer.getStatus().getStatusObject().intValueExact();
      if (status != PKIStatus.GRANTED) {
        throw new TokenRefusedException(
            Reason.NOT_GRANTED, "status " + status + ", want 0" + statusText(answer));
      }
      ContentInfo token = answer.getTimeStampToken();
      if (token == null) {
        throw new TokenRefusedException(Reason.NOT_GRANTED, "granted, but without a token");
      }
      return token.getEncoded(ASN1Encoding.DL);
    } catch (IOException | RuntimeException e) { // the parser tells bad bytes by both
      throw new TokenRefusedException(Reason.MALFORMED, "response: " + e.getMessage(), e);
    }
  }

  private static String statusText(TimeStampResp answer) {
    if (answer.getStatus().getStatusString() == null
        || answer.getStatus().getStatusString().size() == 0) {
      return "";
    }
    String text = answer.getStatus().getStatusString().getStringAtUTF8(0).getString();
    return ": " + Printable.of(text.substring(0, Math.min(text.length(), STATUS_TEXT_LENGTH_MAX)));
  }

  static void requireLength(int tokenBytes) throws TokenRefusedException {
    if (tokenBytes > TOKEN_BYTES_MAX) {
      throw new TokenRefusedException(
          Reason.TOO_LONG, "token of " + tokenBytes + " bytes, at most " + TOKEN_BYTES_MAX);
    }
  }

  @Override
  public TokenFacts verify(Bytes token, Digest imprint, TrustedAuthorities trusted)
      throws TokenRefusedException {
    requireLength(token.size());
    try {
      ParsedToken parsed = ParsedToken.of(token);
      TokenStatement statement = TokenStatement.of(parsed.content());
      statement.requireImprint(imprint);
      TokenSigner signer = TokenSigner.of(parsed);
      signer.requireUsage();
      signer.requireSignature();
      SignerChain.require(
          signer.certificate(), parsed.certificates(), trusted, statement.genTime());
      return new TokenFacts(
          statement.genTime().toEpochMilli(),
          statement.accuracyMs(),
          statement.accuracyStated(),
          statement.policy(),
          statement.serial(),
          statement.nonce(),
          sha256(signer.certificate()));
    } catch (RuntimeException e) { // what the parser left for later
      throw new TokenRefusedException(Reason.MALFORMED, "token: " + e.getMessage(), e);
    }
  }

  static Digest sha256(X509Certificate certificate) throws TokenRefusedException {
    try {
      return Sha256.hash(certificate.getEncoded());
    } catch (CertificateEncodingException e) {
      throw new TokenRefusedException(Reason.MALFORMED, "certificate: " + e.getMessage(), e);
    }
  }
}
