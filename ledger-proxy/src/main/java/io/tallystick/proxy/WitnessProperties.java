package io.tallystick.proxy;

import io.tallystick.master.witness.WitnessSettings;
import io.tallystick.master.witness.WitnessSettings.Endpoint;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.note.WitnessKey;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// Witnesses, who keep the newest heads of ledgers (C2SP tlog-witness).
///
/// @param witnesses `tallystick.witness.witnesses`: verifier key of type cosignature/v1, a space,
///   and the URL in front of `/add-checkpoint`; 1 to 14 of them, separated by commas
/// @param ledgers `tallystick.witness.ledgers`: ids of the ledgers whose heads they are shown;
///   separated by commas. Without one, no witness is asked
/// @param quorum `tallystick.witness.quorum`: how many must have cosigned a head before it is
///   served as cosigned. Default 1
/// @param interval `tallystick.witness.interval`: between two rounds, in which only new heads are
///   shown. Default 10s
/// @param timeout `tallystick.witness.timeout`: for a witness' whole answer; at a start as long at
///   most for each ledger. Default 5s
public record WitnessProperties(
    @Nullable List<String> witnesses,
    @Nullable List<String> ledgers,
    @DefaultValue("1") int quorum,
    @DefaultValue("10s") Duration interval,
    @DefaultValue("5s") Duration timeout) {
  private static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(10);
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
  private static final String PREFIX = "tallystick.witness.";
  private static final Pattern LEDGER = Pattern.compile("[0-9a-f]{64}");

  /// No witness is asked.
  public static final WitnessProperties OFF =
      new WitnessProperties(null, null, 1, DEFAULT_INTERVAL, DEFAULT_TIMEOUT);

  public WitnessProperties {
    witnesses = witnesses == null ? null : List.copyOf(witnesses);
    ledgers = ledgers == null ? null : List.copyOf(ledgers);
    Optional<WitnessSettings> _ = settings(witnesses, ledgers, quorum, interval, timeout);
  }

  /// Empty: no witness is asked.
  Optional<WitnessSettings> settings() {
    return settings(witnesses, ledgers, quorum, interval, timeout);
  }

  private static Optional<WitnessSettings> settings(
      @Nullable List<String> witnesses,
      @Nullable List<String> ledgers,
      int quorum,
      Duration interval,
      Duration timeout) {
    List<LedgerId> ids =
        ledgers == null ? List.of() : ledgers.stream().map(WitnessProperties::ledger).toList();
    if (witnesses == null || witnesses.isEmpty()) {
      if (!ids.isEmpty()) {
        throw new IllegalArgumentException(PREFIX + "ledgers without " + PREFIX + "witnesses");
      }
      return Optional.empty();
    }
    List<Endpoint> endpoints = witnesses.stream().map(WitnessProperties::endpoint).toList();
    WitnessSettings settings;
    try {
      settings = new WitnessSettings(endpoints, quorum, ids, interval, timeout);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(PREFIX + "*: " + e.getMessage(), e);
    }
    return ids.isEmpty() ? Optional.empty() : Optional.of(settings);
  }

  private static LedgerId ledger(String text) {
    if (!LEDGER.matcher(text).matches()) {
      throw new IllegalArgumentException(
          PREFIX + "ledgers has " + text + ", want 64 hexadecimal digits");
    }
    return new LedgerId(Digest.fromHex(text));
  }

  private static Endpoint endpoint(String text) {
    String[] parts = text.strip().split(" +", 2);
    if (parts.length != 2) {
      throw new IllegalArgumentException(PREFIX + "witnesses has " + text + ", want VKEY URL");
    }
    try {
      return new Endpoint(WitnessKey.parse(parts[0]), url(parts[1]));
    } catch (MalformedException e) {
      throw new IllegalArgumentException(PREFIX + "witnesses: " + e.getMessage(), e);
    }
  }

  private static URI url(String text) {
    try {
      URI uri = URI.create(text);
      if (("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null
          && uri.getQuery() == null
          && uri.getFragment() == null) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(notUrl(text), e);
    }
    throw new IllegalArgumentException(notUrl(text));
  }

  private static String notUrl(String text) {
    return PREFIX + "witnesses has " + text + ", want an http(s) URL";
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    if (witnesses != null) {
      arguments.add("--tallystick.witness.witnesses=" + String.join(",", witnesses));
    }
    if (ledgers != null) {
      arguments.add("--tallystick.witness.ledgers=" + String.join(",", ledgers));
    }
    arguments.add("--tallystick.witness.quorum=" + quorum);
    arguments.add("--tallystick.witness.interval=" + interval.toMillis() + "ms");
    arguments.add("--tallystick.witness.timeout=" + timeout.toMillis() + "ms");
    return arguments;
  }
}
