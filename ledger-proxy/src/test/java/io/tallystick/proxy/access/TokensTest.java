package io.tallystick.proxy.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/// Goal: a token that is not exactly what the page says opens nothing. Method: one right token, and
/// each way to be wrong beside it.
class TokensTest {
  private static final long NOW_SECONDS = 1_795_000_000;
  private static final long NOW_MS = NOW_SECONDS * 1000;
  private static final long LAST_SECOND = 253_402_300_799L;
  private static final String TYP = "tallystick-read+jwt";
  private static final String LEDGER = "ab".repeat(32);

  private final Signatures signatures = SignatureProviders.best();
  private final Signer alice = signatures.generate(SignatureAlgorithm.ED25519);
  private final Signer bob = signatures.generate(SignatureAlgorithm.ES256);
  private final Signer stranger = signatures.generate(SignatureAlgorithm.ED25519);
  private final Tokens tokens = new Tokens(TokenKind.READ, signatures);

  private Optional<PublicKey> find(io.tallystick.model.Digest kid) {
    return List.of(alice, bob).stream()
        .map(Signer::publicKey)
        .filter(key -> key.kid().equals(kid))
        .findFirst();
  }

  private SignedToken verify(String token) throws RequestRejectedException {
    return tokens.verify(token, this::find, NOW_MS);
  }

  private void refused(String token, String why) {
    RequestRejectedException refusal =
        catchThrowableOfType(RequestRejectedException.class, () -> verify(token));
    assertThat(refusal).as(token).isNotNull();
    assertThat(refusal.code()).isEqualTo(RejectionCode.TOKEN_INVALID);
    assertThat(refusal).hasMessageContaining(why);
  }

  private String read(String header) {
    return Jwt.signed(alice, header, Jwt.claims(LEDGER, NOW_SECONDS + 60));
  }

  private String readWith(String claims) {
    return Jwt.signed(alice, Jwt.header("EdDSA", TYP, alice), claims);
  }

  @Test
  void rightTokensAreTakenFromBothKindsOfKeys() throws Exception {
    SignedToken token = verify(Jwt.read(alice, LEDGER, NOW_SECONDS + 300));
    assertThat(token.signer()).isEqualTo(alice.publicKey().kid());
    assertThat(token.audience()).containsExactly(LEDGER);
    verify(read(Jwt.header("Ed25519", TYP, alice)));
    String claims = Jwt.claims(LEDGER, NOW_SECONDS + 1);
    verify(Jwt.signed(bob, Jwt.header("ES256", TYP, bob), claims));
    assertThat(
            verify(readWith("{\"aud\":[\"x\",\"y\"],\"exp\":" + (NOW_SECONDS + 9) + "}"))
                .audience())
        .containsExactly("x", "y");
  }

  @Test
  void unsignedAndSymmetricTokensAreRefused() throws Exception {
    String claims = Jwt.part(Jwt.claims(LEDGER, NOW_SECONDS + 60));
    for (String none : new String[] {"none", "None", "NONE"}) {
      refused(Jwt.part(Jwt.header(none, TYP, alice)) + "." + claims + ".", "token");
    }
    // The public key as a shared secret: the confusion of RFC 8725 section 2.1.
    String input = Jwt.part(Jwt.header("HS256", TYP, alice)) + "." + claims;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(alice.publicKey().spki().toArray(), "HmacSHA256"));
    byte[] tag = mac.doFinal(input.getBytes(StandardCharsets.US_ASCII));
    refused(input + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(tag), "signed by");
    refused(read(Jwt.header("ES256", TYP, alice)), "signed by");
    refused(read(Jwt.header("RS256", TYP, alice)), "signed by");
  }

  @Test
  void aTokenOfAnotherKindIsRefused() {
    refused(read(Jwt.header("EdDSA", "tallystick-invitation+jwt", alice)), "typ");
    refused(read(Jwt.header("EdDSA", "JWT", alice)), "typ");
    String kid = alice.publicKey().kid().hex();
    refused(read("{\"alg\":\"EdDSA\",\"kid\":\"" + kid + "\"}"), "typ");
    refused(
        read(
            "{\"alg\":\"EdDSA\",\"typ\":\""
                + TYP
                + "\",\"crit\":[\"exp\"],\"kid\":\""
                + kid
                + "\"}"),
        "crit");
  }

  @Test
  void registeredClaimsThatAreNotReadHaveTheirTypesAndOthersAny() throws Exception {
    String claims = "{\"aud\":\"" + LEDGER + "\",\"exp\":" + (NOW_SECONDS + 60) + ",%s}";
    verify(
        readWith(
            String.format(
                Locale.ROOT, claims, "\"iat\":1,\"iss\":\"x\",\"jti\":\"y\",\"z\":[{}]")));
    for (String wrong : List.of("\"iat\":\"x\"", "\"iss\":5", "\"jti\":7", "\"sub\":[]")) {
      refused(readWith(String.format(Locale.ROOT, claims, wrong)), "");
    }
  }

  @Test
  void signersThatAreNobodyAndSignaturesThatAreWrongLookTheSame() {
    refused(
        Jwt.read(stranger, LEDGER, NOW_SECONDS + 60), "token is not signed by a current member");
    String forged =
        Jwt.signed(stranger, Jwt.header("EdDSA", TYP, alice), Jwt.claims(LEDGER, NOW_SECONDS + 60));
    refused(forged, "token is not signed by a current member");
    refused(read("{\"alg\":\"EdDSA\",\"typ\":\"" + TYP + "\",\"kid\":\"AB\"}"), "kid");
    refused(read("{\"alg\":\"EdDSA\",\"typ\":\"" + TYP + "\"}"), "kid");
  }

  /// Goal: one token, one text. Method: the same bytes told in every other way a lenient decoder
  /// takes, in each of the three parts; the signature is good over whatever text is sent.
  @Test
  void aTokenHasOneText() throws Exception {
    String good = Jwt.read(alice, LEDGER, NOW_SECONDS + 60);
    String input = good.substring(0, good.lastIndexOf('.'));
    String header = input.substring(0, input.indexOf('.'));
    String claims = input.substring(input.indexOf('.') + 1);
    String signature = good.substring(good.lastIndexOf('.') + 1);
    verify(good);
    for (String other : otherTexts(signature)) {
      refused(input + "." + other, "base64url");
    }
    for (String other : otherTexts(header)) {
      refused(Jwt.signedInput(alice, other + "." + claims), "base64url");
    }
    for (String other : otherTexts(claims)) {
      refused(Jwt.signedInput(alice, header + "." + other), "base64url");
    }
    for (String text : List.of(good + ".", good + ".e30", "." + good, " " + good, good + "\n")) {
      refused(text, "base64url");
    }
    refused(input, "base64url");
    refused(Jwt.signedInput(alice, input + ".e30"), "base64url");
  }

  private static List<String> otherTexts(String part) {
    List<String> texts = new ArrayList<>();
    texts.add(part + "=");
    texts.add(part + "==");
    texts.add(part.substring(0, 4) + "*" + part.substring(4));
    texts.add(part.substring(0, 4) + "\n" + part.substring(4));
    texts.add(part.substring(0, 4) + "\u0141" + part.substring(4));
    texts.add(part.substring(0, 4) + "+" + part.substring(5));
    texts.add(part.substring(0, 4) + "/" + part.substring(5));
    String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    if (part.length() % 4 == 0) {
      texts.add(part + "A"); // a character that stands for no byte
    } else {
      int last = alphabet.indexOf(part.charAt(part.length() - 1));
      texts.add(part.substring(0, part.length() - 1) + alphabet.charAt(last + 1));
    }
    return texts;
  }

  @Test
  void everyChangedByteIsRefused() {
    String good = Jwt.read(alice, LEDGER, NOW_SECONDS + 60);
    for (int at = 0; at < good.length(); at++) {
      char other = good.charAt(at) == 'A' ? 'B' : 'A';
      String changed = good.substring(0, at) + other + good.substring(at + 1);
      refused(changed, "");
    }
  }

  @Test
  void onlyTheTimeBetweenNowAndFiveMinutesIsTaken() throws Exception {
    refused(Jwt.read(alice, LEDGER, NOW_SECONDS), "expired");
    refused(Jwt.read(alice, LEDGER, NOW_SECONDS - 1), "expired");
    verify(Jwt.read(alice, LEDGER, NOW_SECONDS + 330));
    refused(Jwt.read(alice, LEDGER, NOW_SECONDS + 331), "more than 300 s from now");
    refused(Jwt.read(alice, LEDGER, LAST_SECOND), "more than 300 s from now");
    refused(readWith("{\"aud\":\"" + LEDGER + "\"}"), "no exp");
    refused(readWith("{\"exp\":" + (NOW_SECONDS + 60) + "}"), "no aud");
    String times = "{\"aud\":\"x\",\"nbf\":%d,\"exp\":%d}";
    verify(readWith(String.format(Locale.ROOT, times, NOW_SECONDS + 30, NOW_SECONDS + 60)));
    refused(
        readWith(String.format(Locale.ROOT, times, NOW_SECONDS + 31, NOW_SECONDS + 60)),
        "not valid before");
  }

  /// Goal: a time is the number that stands there, whatever it is times 1,000. Method: numbers that
  /// come to the right time modulo 2^64, and all that is no second of the years 1970 to 9999.
  @Test
  void aTimeIsAWholeNumberOfSecondsThatThereAre() throws Exception {
    BigInteger round = BigInteger.TWO.pow(64);
    BigInteger soonMs = BigInteger.valueOf((NOW_SECONDS + 60) * 1000);
    BigInteger thousand = BigInteger.valueOf(1000);
    for (Object exp :
        new Object[] {
          round.add(soonMs).divide(thousand),
          soonMs.subtract(round).divide(thousand),
          round.add(soonMs),
          Long.MAX_VALUE,
          Long.MAX_VALUE / 1000,
          Long.MIN_VALUE,
          LAST_SECOND + 1,
          -1,
          NOW_SECONDS + 60 + ".5",
          NOW_SECONDS + 60 + ".0",
          "1.79500006e9",
          "1e400",
          "\"" + (NOW_SECONDS + 60) + "\"",
          "true",
          "[]"
        }) {
      refused(readWith("{\"aud\":\"x\",\"exp\":" + exp + "}"), "");
    }
    String withNbf = "{\"aud\":\"x\",\"nbf\":%s,\"exp\":" + (NOW_SECONDS + 60) + "}";
    verify(readWith(String.format(Locale.ROOT, withNbf, 0)));
    for (Object nbf :
        new Object[] {
          BigInteger.TWO.pow(63).divide(thousand).add(thousand),
          round.add(BigInteger.valueOf(NOW_MS)).divide(thousand),
          BigInteger.valueOf(NOW_MS).subtract(round).divide(thousand),
          Long.MAX_VALUE,
          LAST_SECOND + 1,
          -1,
          "1.5",
          "\"0\""
        }) {
      refused(readWith(String.format(Locale.ROOT, withNbf, nbf)), "");
    }
  }

  @Test
  void aTokenThatWasGoodIsJudgedByTheClockAgain() throws Exception {
    String token = Jwt.read(alice, LEDGER, NOW_SECONDS + 60);
    verify(token);
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class,
            () -> tokens.verify(token, this::find, NOW_MS + 60_000));
    assertThat(refusal).hasMessageContaining("expired");
  }

  @Test
  void whatIsNoTokenIsRefusedAsSuch() {
    for (String text :
        new String[] {"", ".", "..", "a.b.c", "e30.e30.", "e30.e30.e30", "A".repeat(4096)}) {
      refused(text, "");
    }
    refused(readWith("[]"), "");
    refused(readWith("{\"aud\":7,\"exp\":" + (NOW_SECONDS + 60) + "}"), "");
    refused(readWith("{\"aud\":\"x\",\"exp\":\"soon\"}"), "");
  }

  /// What a proxy in front asks for is none of this service's business.
  @Test
  void authorizationOfAnotherSchemeIsNoToken() throws Exception {
    assertThat(Bearer.of(null).token()).isNull();
    for (String value :
        new String[] {"", "abc", "Basic YTpi", "Digest a=b", "Bearerx abc", "DPoP abc"}) {
      assertThat(Bearer.of(value).token()).as(value).isNull();
    }
  }

  @Test
  void aBearerWithoutATokenIsRefused() throws Exception {
    assertThat(Bearer.of("bearer abc").token()).isEqualTo("abc");
    for (String value :
        new String[] {
          "Bearer", "bearer", "Bearer ", "Bearer a b", "Bearer \u00e9", "Bearer " + "a".repeat(4097)
        }) {
      assertThat(catchThrowableOfType(RequestRejectedException.class, () -> Bearer.of(value)))
          .as(value)
          .isNotNull()
          .extracting(RequestRejectedException::code)
          .isEqualTo(RejectionCode.TOKEN_INVALID);
    }
    assertThat(Bearer.of("Bearer secret")).hasToString("Bearer[given]");
  }

  /// Those of RFC 6750 section 2.1, whose `=` stands at the end only; the signature tells of that.
  @Test
  void aTokenIsMadeOfTheseCharactersAndNoOthers() throws Exception {
    String allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
    assertThat(Bearer.of("Bearer " + allowed).token()).isEqualTo(allowed);
    for (char one = 0; one < 0x400; one++) {
      String value = "Bearer a" + one + "b";
      if (allowed.indexOf(one) < 0) {
        assertThat(catchThrowableOfType(RequestRejectedException.class, () -> Bearer.of(value)))
            .as("U+%04x", (int) one)
            .extracting(RequestRejectedException::code)
            .isEqualTo(RejectionCode.TOKEN_INVALID);
      }
    }
  }
}
