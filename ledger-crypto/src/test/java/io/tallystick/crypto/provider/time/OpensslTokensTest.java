package io.tallystick.crypto.provider.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.Seeded;
import io.tallystick.time.TimeTokens;
import io.tallystick.time.TokenFacts;
import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TokenRefusedException.Reason;
import io.tallystick.time.TrustedAuthorities;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: tokens that `openssl ts` made (`time-tokens/make.sh`) are read as it wrote them, and their
/// bent twins are refused for the right reason.
class OpensslTokensTest {
  private static final TimeTokens TOKENS = new Rfc3161Tokens();
  private static final Digest IMPRINT = Sha256.hash(file("stamped").toArray());

  private static Bytes file(String name) {
    try (InputStream in =
        Objects.requireNonNull(
            OpensslTokensTest.class.getResourceAsStream("/time-tokens/" + name), name)) {
      return Bytes.wrap(in.readAllBytes());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static TrustedAuthorities trusted(String name) throws MalformedException {
    return TrustedAuthorities.decode(file(name));
  }

  private static TokenFacts verify(String response) throws Exception {
    return TOKENS.verify(TOKENS.tokenOf(file(response + ".tsr")), IMPRINT, trusted("root.pem"));
  }

  @Test
  void readsWhatTheAuthorityWrote() throws Exception {
    TokenFacts facts = verify("good");
    assertThat(Instant.ofEpochMilli(facts.genTimeMs()))
        .isBetween(Instant.parse("2026-11-01T00:00:00Z"), Instant.parse("2027-02-01T00:00:00Z"));
    assertThat(facts.accuracyMs()).isEqualTo(1_000);
    assertThat(facts.accuracyStated()).isTrue();
    assertThat(facts.policy()).isEqualTo("1.3.6.1.4.1.99999.1");
    assertThat(facts.serial()).isEqualTo(0x1001);
    assertThat(facts.nonce()).isNotNull();
  }

  /// RFC 3161 does not oblige an authority to state it, and public ones do not.
  @Test
  void anAccuracyThatIsNotStatedIsTheWorstAllowed() throws Exception {
    TokenFacts facts = verify("silent");
    assertThat(facts.accuracyMs()).isEqualTo(1_000);
    assertThat(facts.accuracyStated()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "inaccurate, INACCURATE",
    "sha1-certificate-id, NO_ESS_CERT_ID_V2",
    "sha1-signature, WEAK_ALGORITHM",
    "no-certificates, NO_CHAIN",
    "no-chain, NO_CHAIN",
    "sha512-imprint, WRONG_HASH",
    "not-granted, NOT_GRANTED"
  })
  void refuses(String response, Reason reason) {
    assertThatThrownBy(() -> verify(response))
        .isInstanceOfSatisfying(
            TokenRefusedException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }

  /// Goal: the name of a trusted authority is worth nothing without its key.
  @Test
  void refusesARootOfTheSameName() throws Exception {
    Bytes token = TOKENS.tokenOf(file("good.tsr"));
    TrustedAuthorities stranger = trusted("stranger.pem");
    assertThatThrownBy(() -> TOKENS.verify(token, IMPRINT, stranger))
        .isInstanceOfSatisfying(
            TokenRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNTRUSTED));
  }

  /// Goal: no bent token says anything else than the one it was bent from. What nothing signs, such
  /// as the order of certificates, may change and says nothing.
  @Seeded(runs = 4, longRuns = 200)
  void aBentTokenSaysNothingElse(SplittableRandom random) throws Exception {
    Bytes token = TOKENS.tokenOf(file("good.tsr"));
    TrustedAuthorities trusted = trusted("root.pem");
    TokenFacts facts = TOKENS.verify(token, IMPRINT, trusted);
    int refused = 0;
    for (int i = 0; i < 200; i++) {
      byte[] bent = token.toArray();
      bent[random.nextInt(bent.length)] ^= (byte) (1 + random.nextInt(255));
      try {
        assertThat(TOKENS.verify(Bytes.wrap(bent), IMPRINT, trusted)).isEqualTo(facts);
      } catch (TokenRefusedException e) {
        refused++;
      }
    }
    assertThat(refused).as("of 200 bent tokens").isGreaterThan(180);
  }

  @Test
  void refusesEveryShorterToken() throws Exception {
    Bytes token = TOKENS.tokenOf(file("good.tsr"));
    TrustedAuthorities trusted = trusted("root.pem");
    for (int length = 0; length < token.size(); length += 7) {
      Bytes shorter = token.slice(0, length);
      assertThatThrownBy(() -> TOKENS.verify(shorter, IMPRINT, trusted))
          .isInstanceOfSatisfying(
              TokenRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MALFORMED));
    }
  }
}
