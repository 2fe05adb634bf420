package io.tallystick.master.identity;

import java.util.List;
import java.util.stream.LongStream;

/// Clocks, read at the same moment as well as can be, in milliseconds since 1970.
///
/// @param ownMs of the server that wants to claim
/// @param coordinationMs of what all machines share
/// @param serversMs of other servers; two are enough, none are needed
public record ClockReadings(long ownMs, long coordinationMs, List<Long> serversMs) {
  /// Other servers that are asked.
  private static final int SERVERS = 2;

  public ClockReadings {
    serversMs = List.copyOf(serversMs);
  }

  /// By how much the own clock is ahead of the others' median. With fewer than three of them there
  /// is no majority: that of what all machines share decides.
  public long aheadMs() {
    if (serversMs.size() < SERVERS) {
      return ownMs - coordinationMs;
    }
    long median =
        LongStream.of(coordinationMs, serversMs.get(0), serversMs.get(1))
            .sorted()
            .skip(1)
            .findFirst()
            .orElseThrow();
    return ownMs - median;
  }
}
