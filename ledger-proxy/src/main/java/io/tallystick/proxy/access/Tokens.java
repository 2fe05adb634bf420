package io.tallystick.proxy.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads tokens: compact JWS of a JWT (RFC 7515, 7519), Ed25519 or ES256, signed by the key whose
/// kid the header names. A signature once found good is remembered for a while; times are judged
/// anew at every use. Thread-safe. Source: `docs/formats/token.md`.
final class Tokens {
  /// How far the clocks of signer and service may differ.
  static final Duration CLOCK_SKEW_MAX = Duration.ofSeconds(30);

  private static final long REMEMBERED_CHARS_MAX = 2 << 20;
  private static final int AUDIENCES_MAX = 8;
  private static final Pattern KID = Pattern.compile("[0-9a-f]{64}");

  /// Where the key behind a kid is found.
  @FunctionalInterface
  interface Keys {
    Optional<PublicKey> find(Digest kid) throws RequestRejectedException;
  }

  private final TokenKind kind;
  private final Signatures signatures;
  private final Cache<String, SignedToken> remembered =
      Caffeine.newBuilder()
          .maximumWeight(REMEMBERED_CHARS_MAX)
          .weigher((String text, SignedToken _) -> 2 * text.length())
          .expireAfterWrite(TokenKind.READ.lifetimeMax())
          .build();

  Tokens(TokenKind kind, Signatures signatures) {
    this.kind = kind;
    this.signatures = signatures;
  }

  /// @param keys asked for the signer's key unless this very token was verified lately: who may
  ///   speak is for the caller to ask, each time
  /// @throws RequestRejectedException `TOKEN_INVALID`
  SignedToken verify(String text, Keys keys, long nowMs) throws RequestRejectedException {
    SignedToken known = remembered.getIfPresent(text);
    SignedToken token = known == null ? verifySignature(text, keys) : known;
    checkTimes(token, nowMs);
    if (known == null) {
      remembered.put(text, token);
    }
    return token;
  }

  private SignedToken verifySignature(String text, Keys keys) throws RequestRejectedException {
    SignedJWT jwt;
    JWTClaimsSet claims;
    try {
      jwt = SignedJWT.parse(text);
      claims = jwt.getJWTClaimsSet();
    } catch (ParseException | RuntimeException e) {
      throw invalid("token is no signed JWT: " + e.getMessage(), e);
    }
    Digest kid = signer(jwt.getHeader());
    PublicKey key = keys.find(kid).orElseThrow(kind::nobody);
    checkAlgorithm(jwt.getHeader().getAlgorithm().getName(), key);
    try {
      signatures.verify(key, jwt.getSigningInput(), jwt.getSignature().decode());
    } catch (ProofRejectedException e) {
      throw kind.nobody();
    }
    return token(kid, claims);
  }

  private Digest signer(JWSHeader header) throws RequestRejectedException {
    JOSEObjectType typ = header.getType();
    if (typ == null || !typ.getType().equals(kind.typ())) {
      throw invalid("token has typ " + typ + ", want " + kind.typ());
    }
    if (header.getCriticalParams() != null) {
      throw invalid("token has crit, which nothing here understands");
    }
    String kid = header.getKeyID();
    if (kid == null || !KID.matcher(kid).matches()) {
      throw invalid("token's kid is not 64 lower-case hex digits");
    }
    return Digest.fromHex(kid);
  }

  private void checkAlgorithm(String alg, PublicKey key) throws RequestRejectedException {
    boolean fits =
        switch (key.algorithm()) {
          case ED25519 -> alg.equals("EdDSA") || alg.equals("Ed25519");
          case ES256 -> alg.equals("ES256");
        };
    if (!fits) {
      throw kind.nobody();
    }
  }

  private static SignedToken token(Digest kid, JWTClaimsSet claims)
      throws RequestRejectedException {
    if (claims.getExpirationTime() == null) {
      throw invalid("token has no exp");
    }
    List<String> audience = claims.getAudience();
    if (audience.isEmpty() || audience.contains(null)) {
      throw invalid("token has no aud");
    }
    if (audience.size() > AUDIENCES_MAX) {
      throw invalid("token has " + audience.size() + " aud, at most " + AUDIENCES_MAX);
    }
    return new SignedToken(
        kid,
        audience,
        claims.getSubject(),
        notBeforeMs(claims),
        claims.getExpirationTime().toInstant().toEpochMilli());
  }

  private static long notBeforeMs(JWTClaimsSet claims) {
    return claims.getNotBeforeTime() == null
        ? 0
        : claims.getNotBeforeTime().toInstant().toEpochMilli();
  }

  private void checkTimes(SignedToken token, long nowMs) throws RequestRejectedException {
    if (token.expiresMs() <= nowMs) {
      throw invalid("token expired at " + token.expiresMs() / 1000 + ", it is " + nowMs / 1000);
    }
    long skewMs = CLOCK_SKEW_MAX.toMillis();
    if (token.expiresMs() - nowMs > kind.lifetimeMax().toMillis() + skewMs) {
      throw invalid(
              "token expires at "
                  + token.expiresMs() / 1000
                  + ", more than "
                  + kind.lifetimeMax().toSeconds()
                  + " s from now, "
                  + nowMs / 1000)
          .withLimit(kind.lifetimeMax().toSeconds());
    }
    if (token.notBeforeMs() > nowMs + skewMs) {
      throw invalid(
          "token is not valid before " + token.notBeforeMs() / 1000 + ", it is " + nowMs / 1000);
    }
  }

  static RequestRejectedException invalid(String detail) {
    return new RequestRejectedException(RejectionCode.TOKEN_INVALID, detail);
  }

  private static RequestRejectedException invalid(String detail, Exception cause) {
    return new RequestRejectedException(RejectionCode.TOKEN_INVALID, detail, cause);
  }
}
