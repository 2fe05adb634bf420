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
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.text.ParseException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
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
  private static final int PARTS = 3;

  /// The end of the year 9999.
  private static final long SECONDS_MAX = 253_402_300_799L;

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
    checkText(text);
    SignedJWT jwt;
    JWTClaimsSet claims;
    Map<String, Object> numbers;
    try {
      jwt = SignedJWT.parse(text);
      claims = jwt.getJWTClaimsSet();
      numbers = jwt.getPayload().toJSONObject();
    } catch (ParseException | RuntimeException e) {
      throw invalid("token is no signed JWT: " + e.getMessage(), e);
    }
    Digest kid = signer(jwt.getHeader());
    PublicKey key = keys.find(kid).orElseThrow(kind::untrustedSigner);
    checkAlgorithm(jwt.getHeader().getAlgorithm().getName(), key);
    try {
      signatures.verify(key, jwt.getSigningInput(), jwt.getSignature().decode());
    } catch (ProofRejectedException e) {
      throw kind.untrustedSigner();
    }
    return token(kid, claims, numbers);
  }

  /// The library would take several texts for the same token.
  private static void checkText(String text) throws RequestRejectedException {
    String[] parts = text.split("\\.", -1);
    if (parts.length != PARTS) {
      throw invalid("token is not three parts in base64url, it has " + parts.length);
    }
    for (String part : parts) {
      if (!isCanonical(part)) {
        throw invalid("token has a part that is not base64url without padding and stray bits");
      }
    }
  }

  private static boolean isCanonical(String part) {
    if (part.isEmpty()) {
      return false;
    }
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(part);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(part);
    } catch (IllegalArgumentException _) {
      return false;
    }
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
      throw kind.untrustedSigner();
    }
  }

  /// @param numbers the claims as they stand there: the library's times are milliseconds, and wrap
  ///   around
  private static SignedToken token(Digest kid, JWTClaimsSet claims, Map<String, Object> numbers)
      throws RequestRejectedException {
    if (numbers.get("exp") == null) {
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
        numbers.get("nbf") == null ? 0 : timeMs("nbf", numbers),
        timeMs("exp", numbers));
  }

  private static long timeMs(String claim, Map<String, Object> numbers)
      throws RequestRejectedException {
    if (!(numbers.get(claim) instanceof Long seconds) || seconds < 0 || seconds > SECONDS_MAX) {
      throw invalid("token's " + claim + " is no whole number of seconds from 0 to " + SECONDS_MAX);
    }
    return seconds * 1000;
  }

  private void checkTimes(SignedToken token, long nowMs) throws RequestRejectedException {
    if (token.expiresMs() <= nowMs) {
      throw invalid(
          "token expired at "
              + Printable.time(token.expiresMs())
              + ", it is "
              + Printable.time(nowMs));
    }
    long skewMs = CLOCK_SKEW_MAX.toMillis();
    if (token.expiresMs() - nowMs > kind.lifetimeMax().toMillis() + skewMs) {
      throw invalid(
              "token expires at "
                  + Printable.time(token.expiresMs())
                  + ", more than "
                  + kind.lifetimeMax().toSeconds()
                  + " s from now, "
                  + Printable.time(nowMs))
          .withLimit(kind.lifetimeMax().toSeconds());
    }
    if (token.notBeforeMs() > nowMs + skewMs) {
      throw invalid(
          "token is not valid before "
              + Printable.time(token.notBeforeMs())
              + ", it is "
              + Printable.time(nowMs));
    }
  }

  static RequestRejectedException invalid(String detail) {
    return new RequestRejectedException(RejectionCode.TOKEN_INVALID, detail);
  }

  private static RequestRejectedException invalid(String detail, Exception cause) {
    return new RequestRejectedException(RejectionCode.TOKEN_INVALID, detail, cause);
  }
}
