package io.tallystick.cluster.server;

import io.tallystick.master.identity.ClaimChecks;
import io.tallystick.master.identity.ClockReadings;
import io.tallystick.master.presence.PresentServer;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How far this server's clock is ahead of that of ZooKeeper, looked at every minute. Other servers
/// show the same of theirs. One thread looks, any asks.
final class ServerClock {
  private static final Logger LOG = LoggerFactory.getLogger(ServerClock.class);

  private static final Duration EVERY = Duration.ofMinutes(1);

  /// What took longer says too little of a clock.
  private static final Duration ROUND_TRIP_MAX = Duration.ofSeconds(2);

  private static final int OTHERS = 2;

  private final InstantSource own;
  private final Shared shared;
  private final LongSupplier nanoTime;
  private volatile long aheadMs;
  private boolean looked;
  private long lookedNanos;

  /// A clock that all machines see.
  interface Shared {
    /// In milliseconds since 1970.
    long timeMs() throws IOException;
  }

  /// @param nanoTime as {@link System#nanoTime}
  ServerClock(InstantSource own, Shared shared, LongSupplier nanoTime) {
    this.own = own;
    this.shared = shared;
    this.nanoTime = nanoTime;
  }

  /// Reads both clocks, if that is due.
  ///
  /// @return whether it was
  /// @throws IOException if they could never be compared; the next call tries again
  boolean look() throws IOException {
    long began = nanoTime.getAsLong();
    if (looked && began - lookedNanos < EVERY.toNanos()) {
      return false;
    }
    try {
      compare(began);
      return true;
    } catch (IOException e) {
      if (!looked) {
        throw e;
      }
      LOG.warn("the clock could not be compared: {}", e.toString());
      return false;
    }
  }

  private void compare(long began) throws IOException {
    long before = own.millis();
    long sharedMs = shared.timeMs();
    long tookMs = own.millis() - before;
    if (nanoTime.getAsLong() - began > ROUND_TRIP_MAX.toNanos()) {
      throw new IOException("ZooKeeper took " + tookMs + " ms to tell its time");
    }
    aheadMs = before + tookMs / 2 - sharedMs;
    looked = true;
    lookedNanos = began;
  }

  /// As of the last look; 0 before the first.
  long aheadMs() {
    return aheadMs;
  }

  /// Warns of a clock that is off, though a claim is not refused for it yet.
  void warn(ClockReadings readings) {
    if (Math.abs(readings.aheadMs()) > ClaimChecks.CLOCK_OFF_WARNING.toMillis()) {
      LOG.warn(
          "this server's clock is {} ms ahead of the others'; off by {} ms it claims no shard",
          readings.aheadMs(),
          ClaimChecks.CLOCK_OFF_MAX.toMillis());
    }
  }

  /// The clocks, each by how far it is ahead of ZooKeeper's.
  ///
  /// @param id of this server
  ClockReadings readings(String id, Collection<PresentServer> present) {
    List<Long> others =
        present.stream()
            .filter(server -> !server.id().equals(id))
            .limit(OTHERS)
            .map(PresentServer::clockAheadMs)
            .toList();
    return new ClockReadings(aheadMs, 0, others);
  }
}
