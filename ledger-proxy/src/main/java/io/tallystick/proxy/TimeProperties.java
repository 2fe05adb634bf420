package io.tallystick.proxy;

import io.tallystick.time.TimeQuery;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// Anchoring in time: heads of ledgers are stamped by time authorities (RFC 3161).
///
/// @param authorities `tallystick.time.authorities`: URLs of time authorities, in the order in
///   which they are asked; separated by commas. Without one, time is not anchored
/// @param ca `tallystick.time.ca`: file with certificates in PEM; only tokens that lead to one of
///   them are taken. Needed with `authorities`
/// @param policy `tallystick.time.policy`: the policy to stamp under, an object identifier; without
///   one the authority takes its own
/// @param interval `tallystick.time.interval`: a ledger is anchored when its oldest journal that no
///   token covers is so old. Default 60s
/// @param count `tallystick.time.count`: or when so many of its journals wait. Default 10000
/// @param timeout `tallystick.time.timeout`: for an authority's whole answer; then the next one is
///   asked. Default 5s
/// @param tLedger `tallystick.time.t-ledger`: whether this service keeps a T-Ledger, to which other
///   ledgers submit their heads. Default false
/// @param submitters `tallystick.time.submitters`: file that says who may submit heads to the
///   T-Ledger. Without one nobody may
/// @param submit `tallystick.time.submit`: to which T-Ledger heads of this service go
public record TimeProperties(
    @Nullable List<String> authorities,
    @Nullable String ca,
    @Nullable String policy,
    @DefaultValue("60s") Duration interval,
    @DefaultValue("10000") long count,
    @DefaultValue("5s") Duration timeout,
    @DefaultValue("false") boolean tLedger,
    @Nullable String submitters,
    @NestedConfigurationProperty @Nullable SubmitProperties submit) {
  private static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(60);
  private static final long DEFAULT_COUNT = 10_000;
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  /// Time is not anchored.
  public static final TimeProperties OFF =
      new TimeProperties(
          null, null, null, DEFAULT_INTERVAL, DEFAULT_COUNT, DEFAULT_TIMEOUT, false, null, null);

  public TimeProperties {
    authorities = authorities == null ? null : List.copyOf(authorities);
    if (authorities != null && !authorities.isEmpty()) {
      authorities.forEach(TimeProperties::url);
      if (ca == null || ca.isBlank()) {
        throw new IllegalArgumentException(
            "tallystick.time.ca is missing: whom to believe the time is for you to say");
      }
    }
    if (submitters != null && !tLedger) {
      throw new IllegalArgumentException(
          "tallystick.time.submitters says who submits to a T-Ledger; there is none without"
              + " tallystick.time.t-ledger");
    }
    if (policy != null) {
      checkPolicy(policy);
    }
    positive("interval", interval);
    positive("timeout", timeout);
    if (count < 1) {
      throw new IllegalArgumentException("tallystick.time.count is " + count + ", want 1 or more");
    }
  }

  private static void checkPolicy(String policy) {
    try {
      TimeQuery.checkPolicy(policy);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("tallystick.time.policy: " + e.getMessage(), e);
    }
  }

  private static void positive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException("tallystick.time." + name + " is " + value);
    }
  }

  private static URI url(String text) {
    try {
      URI uri = URI.create(text);
      if (("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(notUrl(text), e);
    }
    throw new IllegalArgumentException(notUrl(text));
  }

  private static String notUrl(String text) {
    return "tallystick.time.authorities has " + text + ", want http(s) URLs";
  }

  /// The same, with a T-Ledger or without.
  ///
  /// @param list of who may submit; null: nobody
  public TimeProperties withTLedger(boolean kept, @Nullable String list) {
    return new TimeProperties(
        authorities, ca, policy, interval, count, timeout, kept, list, submit);
  }

  /// The same, and heads are submitted.
  public TimeProperties withSubmit(@Nullable SubmitProperties to) {
    return new TimeProperties(
        authorities, ca, policy, interval, count, timeout, tLedger, submitters, to);
  }

  /// The list of who may submit to the T-Ledger; null: nobody.
  @Nullable Path submittersPath() {
    return submitters == null ? null : Path.of(submitters);
  }

  /// In the order in which they are asked; empty: time is not anchored.
  List<URI> urls() {
    return authorities == null ? List.of() : authorities.stream().map(TimeProperties::url).toList();
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    if (authorities != null) {
      arguments.add("--tallystick.time.authorities=" + String.join(",", authorities));
    }
    if (ca != null) {
      arguments.add("--tallystick.time.ca=" + ca);
    }
    if (policy != null) {
      arguments.add("--tallystick.time.policy=" + policy);
    }
    arguments.add("--tallystick.time.interval=" + interval.toMillis() + "ms");
    arguments.add("--tallystick.time.count=" + count);
    arguments.add("--tallystick.time.timeout=" + timeout.toMillis() + "ms");
    arguments.add("--tallystick.time.t-ledger=" + tLedger);
    if (submitters != null) {
      arguments.add("--tallystick.time.submitters=" + submitters);
    }
    if (submit != null) {
      arguments.addAll(submit.arguments());
    }
    return arguments;
  }
}
