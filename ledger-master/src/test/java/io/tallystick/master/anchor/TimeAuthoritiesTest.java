package io.tallystick.master.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.master.anchor.AuthorityServer.Behaviour;
import io.tallystick.master.anchor.TimeAuthorities.Stamped;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.testkit.time.TestTimeAuthority.Usage;
import io.tallystick.testkit.time.TokenRecipe;
import io.tallystick.time.TimeTokens;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: an authority that is dead, slow or lying costs its timeout and nothing else: the reason is
/// told and the next authority is asked. Method: real HTTP on loopback, real tokens.
class TimeAuthoritiesTest {
  private static final TimeTokens TOKENS = new Rfc3161Tokens();
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("A");
  private static final Digest IMPRINT = Sha256.hash("head".getBytes(StandardCharsets.UTF_8));
  private static final Duration TIMEOUT = Duration.ofMillis(700);
  private static final Duration LONG = Duration.ofSeconds(20);

  private final SeenByWatch watch = new SeenByWatch();
  private final AtomicLong nanoTime = new AtomicLong();
  private AuthorityServer first;
  private AuthorityServer second;

  @BeforeEach
  void open() throws IOException {
    first = new AuthorityServer(AuthorityServer.honest(AUTHORITY));
    second = new AuthorityServer(AuthorityServer.honest(AUTHORITY));
  }

  @AfterEach
  void close() {
    first.close();
    second.close();
  }

  private TimeAuthorities authorities(Duration timeout, URI... urls) {
    return new TimeAuthorities(
        TOKENS,
        new AuthoritySettings(List.of(urls), AUTHORITY.trusted(), TokenRecipe.POLICY, timeout),
        System::currentTimeMillis,
        nanoTime::get,
        watch);
  }

  private static UnaryOperator<TokenRecipe> minutesOff(int minutes) {
    return recipe -> recipe.at(Instant.now().plus(Duration.ofMinutes(minutes)));
  }

  private static UnaryOperator<TokenRecipe> expired() {
    Instant now = Instant.now();
    X509Certificate old =
        AUTHORITY.issueSigner(
            Usage.timeStamping(now.minus(Duration.ofDays(9)), now.minus(Duration.ofDays(8))));
    return recipe -> recipe.signedAs(old, List.of(old, AUTHORITY.intermediate()));
  }

  private static Behaviour lying(UnaryOperator<TokenRecipe> how) {
    return AuthorityServer.stamping(AUTHORITY, how);
  }

  static Stream<Map.Entry<String, Behaviour>> failures() {
    Map<String, Behaviour> failures = new LinkedHashMap<>();
    failures.put("wrong_status", AuthorityServer.of(404, "text/plain"));
    failures.put("wrong_content", AuthorityServer.of(200, "text/html"));
    failures.put(
        "too_long", AuthorityServer.replying(new byte[TimeAuthority.ANSWER_BYTES_MAX + 1]));
    failures.put("malformed", AuthorityServer.replying(new byte[] {'n', 'o'}));
    failures.put("not_granted", lying(recipe -> recipe.refusing(2)));
    failures.put("wrong_imprint", lying(recipe -> recipe.stamping(Bytes.wrap(new byte[32]))));
    failures.put("wrong_nonce", lying(recipe -> recipe.answering(BigInteger.ONE)));
    failures.put("wrong_policy", lying(recipe -> recipe.under("1.2.3")));
    failures.put("no_chain", lying(recipe -> recipe.with(List.of())));
    failures.put("untrusted", AuthorityServer.honest(new TestTimeAuthority("A")));
    failures.put("expired_at_gentime", lying(expired()));
    failures.put("inaccurate", lying(recipe -> recipe.accurateTo(1_500)));
    failures.put("skewed", lying(minutesOff(-60)));
    return failures.entrySet().stream();
  }

  @ParameterizedTest
  @MethodSource("failures")
  void theNextAuthorityIsAskedWhenOneFails(Map.Entry<String, Behaviour> failure) throws Exception {
    first.behave(failure.getValue());
    try (TimeAuthorities authorities = authorities(LONG, first.uri(), second.uri())) {
      Stamped stamped = authorities.stamp(IMPRINT);
      assertThat(stamped.authority()).isEqualTo(second.uri());
      assertThat(watch.seen()).containsExactly(failure.getKey());
      assertThat(TOKENS.verify(stamped.token(), IMPRINT, AUTHORITY.trusted()))
          .isEqualTo(stamped.facts());
    }
  }

  @Test
  void theFirstAloneIsAskedWhenItAnswers() throws Exception {
    try (TimeAuthorities authorities = authorities(LONG, first.uri(), second.uri())) {
      assertThat(authorities.stamp(IMPRINT).authority()).isEqualTo(first.uri());
      assertThat(second.asked()).isZero();
      assertThat(watch.seen()).isEmpty();
    }
  }

  @Test
  void aTimeTenSecondsOffIsTakenAndNoMore() throws Exception {
    try (TimeAuthorities authorities = authorities(LONG, first.uri())) {
      first.behave(lying(recipe -> recipe.at(Instant.now().plusMillis(9_500))));
      assertThat(authorities.stamp(IMPRINT).facts().genTimeMs()).isPositive();
      first.behave(lying(recipe -> recipe.at(Instant.now().plusMillis(11_000))));
      assertThatThrownBy(() -> authorities.stamp(IMPRINT))
          .isInstanceOf(NotStampedException.class)
          .hasMessageContaining("SKEWED");
    }
  }

  @Test
  void aDeadAuthorityIsUnreachable() throws Exception {
    URI dead;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      dead = URI.create("http://127.0.0.1:" + taken.getLocalPort());
    }
    try (TimeAuthorities authorities = authorities(LONG, dead, second.uri())) {
      assertThat(authorities.stamp(IMPRINT).authority()).isEqualTo(second.uri());
      assertThat(watch.seen()).containsExactly("unreachable");
    }
  }

  /// Goal: the timeout is for the whole answer, its last byte included.
  @Test
  void aSlowAuthorityCostsItsTimeout() throws Exception {
    for (Behaviour slow : List.of(AuthorityServer.silent(), AuthorityServer.dripping())) {
      first.behave(slow);
      try (TimeAuthorities authorities = authorities(TIMEOUT, first.uri())) {
        assertThatThrownBy(() -> authorities.stamp(IMPRINT))
            .isInstanceOf(NotStampedException.class)
            .hasMessageContaining("SLOW");
      }
    }
    assertThat(watch.seen()).containsExactly("slow", "slow");
    // Its thread may be later than the timeout.
    Waiting.until("each was asked", () -> first.asked() >= 2);
    assertThat(first.asked()).as("slow ones are not asked twice").isEqualTo(2);
  }

  @Test
  void aBusyAuthorityIsAskedOnceMore() throws Exception {
    Behaviour honest = AuthorityServer.honest(AUTHORITY);
    first.behave((exchange, query) -> {
      first.behave(honest);
      AuthorityServer.of(503, "text/plain").answer(exchange, query);
    });
    try (TimeAuthorities authorities = authorities(LONG, first.uri(), second.uri())) {
      assertThat(authorities.stamp(IMPRINT).authority()).isEqualTo(first.uri());
      assertThat(first.asked()).isEqualTo(2);
      first.behave(AuthorityServer.of(503, "text/plain"));
      assertThat(authorities.stamp(IMPRINT).authority()).isEqualTo(second.uri());
      assertThat(first.asked()).isEqualTo(4);
      assertThat(watch.seen()).containsExactly("wrong_status");
    }
  }

  /// Goal: an authority that lies for a minute is left alone meanwhile, and used again after.
  @Test
  void anAuthorityThatFailsThreeTimesRestsAndComesBack() throws Exception {
    first.behave(lying(minutesOff(5)));
    try (TimeAuthorities authorities = authorities(LONG, first.uri(), second.uri())) {
      for (int i = 0; i < 10; i++) {
        assertThat(authorities.stamp(IMPRINT).authority()).isEqualTo(second.uri());
      }
      assertThat(first.asked()).isEqualTo(AuthorityRest.FAILURES_MAX);
      nanoTime.addAndGet(AuthorityRest.REST.toNanos());
      for (int i = 0; i < 10; i++) {
        assertThat(authorities.stamp(IMPRINT).authority()).isEqualTo(second.uri());
      }
      assertThat(first.asked()).as("once more after a rest").isEqualTo(4);
      first.behave(AuthorityServer.honest(AUTHORITY));
      nanoTime.addAndGet(AuthorityRest.REST.toNanos());
      for (int i = 0; i < 10; i++) {
        assertThat(authorities.stamp(IMPRINT).authority()).isEqualTo(first.uri());
      }
    }
  }

  @Test
  void whenAllFailEachReasonIsTold() throws Exception {
    first.behave(AuthorityServer.of(400, "text/plain"));
    second.behave(lying(recipe -> recipe.answering(BigInteger.ONE)));
    try (TimeAuthorities authorities = authorities(LONG, first.uri(), second.uri())) {
      assertThatThrownBy(() -> authorities.stamp(IMPRINT))
          .isInstanceOfSatisfying(
              NotStampedException.class,
              e ->
                  assertThat(e.failures())
                      .extracting(AuthorityFailedException::code)
                      .containsExactly("wrong_status", "wrong_nonce"));
    }
  }
}
