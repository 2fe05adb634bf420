package io.tallystick.bench.soak;

import java.time.Duration;
import java.util.Locale;

/// How long a soak lasts and what happens in it.
///
/// @param load how long the clients append; the service is killed half-way
/// @param clients in all, each a thread with requests of its own; every other one over REST
/// @param processes that the clients are spread over
/// @param perSecond requests that all clients together try to send; a batch is one
/// @param pauseMin before the next process of clients is ended
/// @param pauseMax the same; between the two by chance
/// @param sampleEvery what the service takes of memory, descriptors and threads
/// @param warmUp of the service after each start, left out of the comparison
/// @param audited ledgers that are audited in full, by chance
/// @param seed of all that is by chance but keys
public record SoakPlan(
    Duration load,
    int ledgers,
    int clients,
    int processes,
    int perSecond,
    Duration pauseMin,
    Duration pauseMax,
    Duration sampleEvery,
    Duration warmUp,
    int audited,
    long seed) {
  private static final int PER_SECOND = 500;
  private static final int PROCESSES = 4;
  private static final int AUDITED = 20;

  public SoakPlan {
    if (ledgers < 1 || processes < 1 || clients < processes || perSecond < 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d ledgers, %d clients in %d processes, %d a second",
              ledgers,
              clients,
              processes,
              perSecond));
    }
    if (!pauseMin.isPositive() || pauseMin.compareTo(pauseMax) > 0) {
      throw new IllegalArgumentException("pauses of " + pauseMin + " to " + pauseMax);
    }
  }

  /// The real one.
  public static SoakPlan of(int minutes, int ledgers, int clients, long seed) {
    Duration load = Duration.ofMinutes(minutes);
    return new SoakPlan(
        load,
        ledgers,
        clients,
        Math.min(PROCESSES, clients),
        PER_SECOND,
        Duration.ofSeconds(10),
        Duration.ofSeconds(40),
        Duration.ofSeconds(10),
        load.dividedBy(10),
        Math.min(AUDITED, ledgers),
        seed);
  }

  /// Of one process; the clients are spread evenly.
  int clientsOf(int process) {
    return clients / processes + (process < clients % processes ? 1 : 0);
  }
}
