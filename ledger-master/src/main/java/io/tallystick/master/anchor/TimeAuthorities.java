package io.tallystick.master.anchor;

import io.tallystick.master.anchor.AuthorityFailedException.Reason;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.time.TimeQuery;
import io.tallystick.time.TimeTokens;
import io.tallystick.time.TokenFacts;
import io.tallystick.time.TokenRefusedException;
import java.math.BigInteger;
import java.net.URI;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/// The time authorities of a service, asked one after the other until one gives a token that holds.
/// Thread-safe.
public final class TimeAuthorities implements AutoCloseable {
  /// How far a token's time and ours may be apart. Which of the two is wrong does not show here.
  static final long SKEW_MS_MAX = 10_000;

  private static final int NONCE_BITS = 64;

  private final TimeTokens tokens;
  private final AuthoritySettings settings;
  private final LongSupplier timeMs;
  private final AnchorWatch watch;
  private final List<Asked> authorities;
  private final SecureRandom random = new SecureRandom();

  private record Asked(TimeAuthority authority, AuthorityRest rest) {}

  /// @param timeMs the service's time, which its journals have
  /// @param watch is told of each authority that failed
  public TimeAuthorities(
      TimeTokens tokens, AuthoritySettings settings, LongSupplier timeMs, AnchorWatch watch) {
    this(tokens, settings, timeMs, System::nanoTime, watch);
  }

  TimeAuthorities(
      TimeTokens tokens,
      AuthoritySettings settings,
      LongSupplier timeMs,
      LongSupplier nanoTime,
      AnchorWatch watch) {
    this.tokens = tokens;
    this.settings = settings;
    this.timeMs = timeMs;
    this.watch = watch;
    this.authorities =
        settings.urls().stream()
            .map(url ->
                new Asked(new TimeAuthority(url, settings.timeout()), new AuthorityRest(nanoTime)))
            .toList();
  }

  /// A verified token.
  ///
  /// @param authority who gave it
  public record Stamped(Bytes token, TokenFacts facts, URI authority) {}

  /// Has a hash stamped, now.
  ///
  /// @throws NotStampedException if every authority failed, or rests
  public Stamped stamp(Digest imprint) throws NotStampedException, InterruptedException {
    List<AuthorityFailedException> failures = new ArrayList<>();
    for (Asked each : authorities) {
      URI uri = each.authority.uri();
      if (!each.rest.mayAsk()) {
        failures.add(
            new AuthorityFailedException(Reason.RESTING, uri, "it failed several times in a row"));
        continue;
      }
      try {
        Stamped stamped = ask(each.authority, imprint);
        each.rest.succeeded();
        return stamped;
      } catch (AuthorityFailedException e) {
        each.rest.failed();
        watch.authorityFailed(e);
        failures.add(e);
      }
    }
    throw new NotStampedException(failures);
  }

  private Stamped ask(TimeAuthority authority, Digest imprint)
      throws AuthorityFailedException, InterruptedException {
    TimeQuery query = new TimeQuery(imprint, new BigInteger(NONCE_BITS, random), settings.policy());
    Bytes response = authority.ask(tokens.query(query));
    Stamped stamped;
    try {
      Bytes token = tokens.tokenOf(response);
      TokenFacts facts = tokens.verify(token, imprint, settings.trusted());
      facts.requireAnswerTo(query);
      stamped = new Stamped(token, facts, authority.uri());
    } catch (TokenRefusedException e) {
      throw new AuthorityFailedException(authority.uri(), e);
    }
    long skewMs = stamped.facts.genTimeMs() - timeMs.getAsLong();
    if (Math.abs(skewMs) > SKEW_MS_MAX) {
      throw new AuthorityFailedException(
          Reason.SKEWED,
          authority.uri(),
          "its time is " + skewMs + " ms from ours, at most " + SKEW_MS_MAX);
    }
    return stamped;
  }

  @Override
  public void close() {
    authorities.forEach(each -> each.authority.close());
  }
}
