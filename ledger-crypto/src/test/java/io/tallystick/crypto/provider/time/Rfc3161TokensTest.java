package io.tallystick.crypto.provider.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.testkit.time.TestTimeAuthority.Usage;
import io.tallystick.testkit.time.TokenRecipe;
import io.tallystick.time.TimeQuery;
import io.tallystick.time.TimeTokens;
import io.tallystick.time.TokenFacts;
import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TokenRefusedException.Reason;
import io.tallystick.time.TrustedAuthorities;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.Test;

/// Goal: each rule of `docs/formats/time-token.md` is kept, and its breach named. Method: an
/// authority that makes exactly one thing wrong.
class Rfc3161TokensTest {
  private static final TimeTokens TOKENS = new Rfc3161Tokens();
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("A");
  private final Instant now = Instant.now();
  private static final Duration DAY = Duration.ofDays(1);
  private static final Digest IMPRINT = Sha256.hash("head".getBytes(StandardCharsets.UTF_8));
  private static final TimeQuery QUERY = new TimeQuery(IMPRINT, BigInteger.TEN, null);

  private Bytes token(UnaryOperator<TokenRecipe> change) throws TokenRefusedException {
    return TOKENS.tokenOf(AUTHORITY.answer(TOKENS.query(QUERY), now, change));
  }

  private TokenFacts verify(UnaryOperator<TokenRecipe> change) throws TokenRefusedException {
    return TOKENS.verify(token(change), IMPRINT, AUTHORITY.trusted());
  }

  private static void assertRefused(Reason reason, ThrowingCallable code) {
    assertThatThrownBy(code)
        .isInstanceOfSatisfying(
            TokenRefusedException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }

  @Test
  void aGoodTokenSaysWhatItsAuthorityMeant() throws Exception {
    TokenFacts facts = verify(recipe -> recipe);
    assertThat(facts)
        .isEqualTo(
            new TokenFacts(
                now.toEpochMilli(),
                500,
                true,
                TokenRecipe.POLICY,
                BigInteger.valueOf(now.toEpochMilli()),
                BigInteger.TEN,
                Sha256.hash(AUTHORITY.certificate().getEncoded())));
    facts.requireAnswerTo(QUERY);
  }

  @Test
  void refusesAnotherNonceOrPolicy() throws Exception {
    TokenFacts other = verify(recipe -> recipe.answering(BigInteger.TWO));
    assertRefused(Reason.WRONG_NONCE, () -> other.requireAnswerTo(QUERY));
    TimeQuery strict = new TimeQuery(IMPRINT, BigInteger.TEN, TokenRecipe.POLICY);
    verify(recipe -> recipe).requireAnswerTo(strict);
    TokenFacts elsewhere = verify(recipe -> recipe.under("1.2.3"));
    assertRefused(Reason.WRONG_POLICY, () -> elsewhere.requireAnswerTo(strict));
  }

  @Test
  void asksForThePolicyItIsToldTo() throws Exception {
    Bytes with = TOKENS.query(new TimeQuery(IMPRINT, BigInteger.TEN, TokenRecipe.POLICY));
    Bytes without = TOKENS.query(QUERY);
    assertThat(with.size() - without.size()).as("an object identifier of 9 bytes").isEqualTo(11);
    assertThatThrownBy(() -> new TimeQuery(IMPRINT, BigInteger.TEN, "1.50.3"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesAnotherImprint() {
    byte[] other = IMPRINT.toArray();
    other[31] ^= 1;
    assertRefused(Reason.WRONG_IMPRINT, () -> verify(recipe -> recipe.stamping(Bytes.wrap(other))));
    assertRefused(
        Reason.WRONG_HASH, () -> verify(recipe -> recipe.stamping(Bytes.wrap(new byte[64]))));
  }

  @Test
  void refusesWhatWasNotGranted() {
    assertRefused(Reason.NOT_GRANTED, () -> token(recipe -> recipe.refusing(1)));
    assertRefused(Reason.NOT_GRANTED, () -> token(recipe -> recipe.refusing(2)));
    assertRefused(Reason.NOT_GRANTED, () -> TOKENS.tokenOf(Bytes.fromHex("30053003020100")));
    assertRefused(Reason.MALFORMED, () -> TOKENS.tokenOf(Bytes.utf8("<html>")));
  }

  @Test
  void refusesAnAccuracyAboveASecond() throws Exception {
    assertThat(verify(recipe -> recipe.accurateTo(1_000)).accuracyMs()).isEqualTo(1_000);
    assertRefused(Reason.INACCURATE, () -> verify(recipe -> recipe.accurateTo(1_001)));
    assertThat(verify(recipe -> recipe.accurateTo(null)).accuracyStated()).isFalse();
  }

  @Test
  void refusesACertificateNamedBySha1() {
    assertRefused(Reason.NO_ESS_CERT_ID_V2, () -> verify(TokenRecipe::namingItsCertificateBySha1));
  }

  /// Goal: a token cannot be moved under another certificate of the same key.
  @Test
  void refusesAnotherCertificateOfTheSigner() {
    X509Certificate other =
        AUTHORITY.issueSigner(Usage.timeStamping(now.minus(DAY), now.plus(DAY)));
    assertRefused(Reason.WRONG_CERTIFICATE, () -> verify(recipe -> recipe.naming(other)));
    assertRefused(
        Reason.NO_CHAIN,
        () -> verify(recipe -> recipe.with(List.of(other, AUTHORITY.intermediate()))));
  }

  @Test
  void refusesAChainThatIsNotInside() throws Exception {
    assertRefused(Reason.NO_CHAIN, () -> verify(recipe -> recipe.with(List.of())));
    assertRefused(
        Reason.NO_CHAIN, () -> verify(recipe -> recipe.with(List.of(AUTHORITY.certificate()))));
    // With the root inside it is as good.
    verify(recipe ->
        recipe.with(List.of(AUTHORITY.root(), AUTHORITY.intermediate(), AUTHORITY.certificate())));
  }

  @Test
  void refusesAnAuthorityThatIsNotListed() throws Exception {
    TrustedAuthorities others = new TestTimeAuthority("B").trusted();
    TrustedAuthorities namesakes = new TestTimeAuthority("A").trusted();
    Bytes good = token(recipe -> recipe);
    assertRefused(Reason.NO_CHAIN, () -> TOKENS.verify(good, IMPRINT, others));
    assertRefused(Reason.UNTRUSTED, () -> TOKENS.verify(good, IMPRINT, namesakes));
    Bytes whole =
        token(recipe ->
            recipe.with(
                List.of(AUTHORITY.certificate(), AUTHORITY.intermediate(), AUTHORITY.root())));
    assertRefused(Reason.UNTRUSTED, () -> TOKENS.verify(whole, IMPRINT, others));
  }

  @Test
  void refusesAKeyForAnythingElse() {
    for (Usage usage :
        List.of(
            new Usage(now.minus(DAY), now.plus(DAY), List.of(KeyPurposeId.id_kp_codeSigning), true),
            new Usage(
                now.minus(DAY),
                now.plus(DAY),
                List.of(KeyPurposeId.id_kp_timeStamping, KeyPurposeId.id_kp_codeSigning),
                true),
            new Usage(
                now.minus(DAY), now.plus(DAY), List.of(KeyPurposeId.id_kp_timeStamping), false))) {
      X509Certificate other = AUTHORITY.issueSigner(usage);
      List<X509Certificate> inside = List.of(other, AUTHORITY.intermediate());
      assertRefused(Reason.WRONG_USAGE, () -> verify(recipe -> recipe.signedAs(other, inside)));
    }
  }

  /// Goal: what counts is the moment of the token, not now.
  @Test
  void judgesCertificatesAtGenTime() throws Exception {
    Instant lastYear = now.minus(Duration.ofDays(365));
    X509Certificate old =
        AUTHORITY.issueSigner(Usage.timeStamping(lastYear.minus(DAY), lastYear.plus(DAY)));
    List<X509Certificate> inside = List.of(old, AUTHORITY.intermediate());
    assertThat(verify(recipe -> recipe.signedAs(old, inside).at(lastYear)).genTimeMs())
        .isEqualTo(lastYear.toEpochMilli());
    assertRefused(Reason.EXPIRED_AT_GENTIME, () -> verify(recipe -> recipe.signedAs(old, inside)));
    assertRefused(
        Reason.EXPIRED_AT_GENTIME,
        () -> verify(recipe -> recipe.at(now.minus(Duration.ofDays(365 * 20)))));
  }

  @Test
  void refusesATokenThatNoJournalTakes() throws Exception {
    List<X509Certificate> many =
        new ArrayList<>(List.of(AUTHORITY.certificate(), AUTHORITY.intermediate()));
    while (many.size() < 40) {
      many.add(AUTHORITY.issueSigner(Usage.timeStamping(now, now.plus(DAY))));
    }
    assertRefused(Reason.TOO_LONG, () -> token(recipe -> recipe.with(many)));
    Bytes tooLong = Bytes.wrap(new byte[TimeTokens.TOKEN_BYTES_MAX + 1]);
    assertRefused(Reason.TOO_LONG, () -> TOKENS.verify(tooLong, IMPRINT, AUTHORITY.trusted()));
    assertRefused(Reason.MALFORMED, () -> verify(recipe -> recipe.with(many.subList(0, 20))));
  }

  /// Goal: a token is stored in one form of lengths; an authority may send another.
  @Test
  void takesIndefiniteLengthsFromAnAuthorityAlone() throws Exception {
    Bytes good = token(recipe -> recipe);
    ByteArrayOutputStream response = new ByteArrayOutputStream();
    response.write(new byte[] {0x30, (byte) 0x80, 0x30, 3, 2, 1, 0});
    response.write(berToken(good));
    response.write(new byte[] {0, 0});
    Bytes ber = Bytes.wrap(berToken(good));
    assertRefused(Reason.MALFORMED, () -> TOKENS.verify(ber, IMPRINT, AUTHORITY.trusted()));
    Bytes taken = TOKENS.tokenOf(Bytes.wrap(response.toByteArray()));
    assertThat(taken).isEqualTo(good);
  }

  /// The outermost length, made indefinite.
  private static byte[] berToken(Bytes der) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(new byte[] {0x30, (byte) 0x80});
    out.write(der.toArray(), 4, der.size() - 4);
    out.write(new byte[] {0, 0});
    return out.toByteArray();
  }

  /// Goal: a structure nested as deep as a token is long is refused, and overflows no stack.
  @Test
  void refusesDeepNesting() {
    byte[] deep = new byte[12_000];
    int at = 0;
    while (at < deep.length - 4) {
      int rest = deep.length - at - 4;
      deep[at] = 0x30;
      deep[at + 1] = (byte) 0x82;
      deep[at + 2] = (byte) (rest >> 8);
      deep[at + 3] = (byte) rest;
      at += 4;
    }
    Bytes token = Bytes.wrap(deep);
    assertRefused(Reason.MALFORMED, () -> TOKENS.verify(token, IMPRINT, AUTHORITY.trusted()));
    assertRefused(Reason.MALFORMED, () -> TOKENS.tokenOf(token));
    byte[] endless = new byte[12_000];
    for (int i = 0; i < endless.length; i += 2) {
      endless[i] = 0x30;
      endless[i + 1] = (byte) 0x80;
    }
    assertRefused(Reason.MALFORMED, () -> TOKENS.tokenOf(Bytes.wrap(endless)));
  }

  @Test
  void refusesAForeignSignature() throws Exception {
    TestTimeAuthority other = new TestTimeAuthority("A");
    Bytes forged =
        TOKENS.tokenOf(
            other.answer(
                TOKENS.query(QUERY),
                now,
                recipe ->
                    recipe.signedAs(
                        AUTHORITY.certificate(),
                        List.of(AUTHORITY.certificate(), AUTHORITY.intermediate()))));
    assertRefused(Reason.BAD_SIGNATURE, () -> TOKENS.verify(forged, IMPRINT, AUTHORITY.trusted()));
  }

  @Test
  void trustsNobodyByDefault() {
    assertThatThrownBy(() -> new TrustedAuthorities(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new TrustedAuthorities(Collections.nCopies(65, AUTHORITY.root())))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
