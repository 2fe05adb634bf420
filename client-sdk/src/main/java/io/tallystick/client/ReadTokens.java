package io.tallystick.client;

import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/// The tokens with which a member shows a service that it may read a ledger that is not public:
/// `Authorization: Bearer TOKEN`. The holder of a token can read as that member until it expires,
/// five minutes at most. Each is signed once and used until it is nearly over. Thread-safe. Source:
/// `docs/formats/token.md`.
public final class ReadTokens {
  /// The longest lifetime of a token that a service accepts.
  public static final Duration LIFETIME = Duration.ofMinutes(5);

  /// The longest lifetime of an invitation that a service accepts.
  public static final Duration INVITATION_LIFETIME_MAX = Duration.ofDays(30);

  private static final Duration RENEWED_BEFORE = Duration.ofMinutes(1);

  private record Signed(String token, long expiresSeconds) {}

  private final Signer key;
  private final InstantSource clock;
  private final ConcurrentMap<String, Signed> signed = new ConcurrentHashMap<>();

  public ReadTokens(ClientKey key) {
    this(key.signer(), InstantSource.system());
  }

  ReadTokens(Signer key, InstantSource clock) {
    this.key = key;
    this.clock = clock;
  }

  /// For one ledger.
  public String of(LedgerId ledger) {
    return of(ledger.hex());
  }

  /// For every ledger of a service of which the key is a member's, and their list.
  public String of(Authority service) {
    return of(service.value());
  }

  private String of(String audience) {
    long now = clock.instant().getEpochSecond();
    Signed last = signed.get(audience);
    if (last == null || last.expiresSeconds() - now < RENEWED_BEFORE.toSeconds()) {
      long expires = now + LIFETIME.toSeconds();
      last = new Signed(sign(key, "tallystick-read+jwt", audience, null, expires), expires);
      signed.put(audience, last);
    }
    return last.token();
  }

  /// Lets the holder of another key found ledgers, on a service whose list of founders names this
  /// key as an inviter's.
  ///
  /// @param lifetime from now, 30 days at most
  public static String invitation(
      ClientKey inviter, Authority service, Digest founder, Duration lifetime) {
    if (!lifetime.isPositive() || lifetime.compareTo(INVITATION_LIFETIME_MAX) > 0) {
      throw new IllegalArgumentException(
          "lifetime " + lifetime + ", want more than 0 and at most " + INVITATION_LIFETIME_MAX);
    }
    long expires = InstantSource.system().instant().plus(lifetime).getEpochSecond();
    return sign(
        inviter.signer(), "tallystick-invitation+jwt", service.value(), founder.hex(), expires);
  }

  /// None of the values has a character that JSON would have escaped.
  private static String sign(
      Signer key, String typ, String audience, @Nullable String subject, long expiresSeconds) {
    String alg =
        switch (key.publicKey().algorithm()) {
          case ED25519 -> "EdDSA";
          case ES256 -> "ES256";
        };
    String header =
        String.format(
            Locale.ROOT,
            "{\"alg\":\"%s\",\"typ\":\"%s\",\"kid\":\"%s\"}",
            alg,
            typ,
            key.publicKey().kid().hex());
    String claims =
        String.format(
            Locale.ROOT,
            "{\"aud\":\"%s\",%s\"exp\":%d}",
            audience,
            subject == null ? "" : "\"sub\":\"" + subject + "\",",
            expiresSeconds);
    String input = base64(header) + "." + base64(claims);
    return input + "." + base64(key.sign(input.getBytes(StandardCharsets.US_ASCII)));
  }

  private static String base64(String text) {
    return base64(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
