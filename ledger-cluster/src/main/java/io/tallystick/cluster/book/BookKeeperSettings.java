package io.tallystick.cluster.book;

import java.time.Duration;
import java.util.Map;
import org.apache.bookkeeper.conf.ClientConfiguration;

/// How the bookies are reached.
///
/// @param metadata where BookKeeper keeps what it knows of its ledgers, as in
///   `zk+hierarchical://127.0.0.1:2181/ledgers`
/// @param timeout of one request to a bookie, and of an add to enough of them; whole seconds, at
///   least one
/// @param lastConfirmedEvery how often a writer without adds tells the bookies its last confirmed
///   entry, for those who follow
/// @param further properties of BookKeeper's client, by their names there; they come before the
///   ones above
public record BookKeeperSettings(
    String metadata, Duration timeout, Duration lastConfirmedEvery, Map<String, String> further) {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration LAST_CONFIRMED_EVERY = Duration.ofMillis(100);

  public BookKeeperSettings {
    if (timeout.toSeconds() < 1 || lastConfirmedEvery.toMillis() < 1) {
      throw new IllegalArgumentException(
          "timeout " + timeout + ", last confirmed every " + lastConfirmedEvery);
    }
    further = Map.copyOf(further);
  }

  /// With the defaults: 5 seconds, 100 milliseconds.
  public static BookKeeperSettings of(String metadata) {
    return new BookKeeperSettings(metadata, TIMEOUT, LAST_CONFIRMED_EVERY, Map.of());
  }

  ClientConfiguration toClient() {
    int seconds = Math.toIntExact(timeout.toSeconds());
    ClientConfiguration client = new ClientConfiguration();
    client.setMetadataServiceUri(metadata);
    client.setThrottleValue(0); // one frame is in flight: there is nothing to hold back
    client.setDelayEnsembleChange(true); // else a lost bookie without a spare ends the writer
    client.setAddEntryTimeout(seconds);
    client.setAddEntryQuorumTimeout(seconds);
    client.setReadEntryTimeout(seconds);
    client.setExplictLacInterval(Math.toIntExact(lastConfirmedEvery.toMillis()));
    further.forEach(client::setProperty);
    return client;
  }
}
