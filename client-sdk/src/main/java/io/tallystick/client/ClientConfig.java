package io.tallystick.client;

import java.nio.file.Path;
import java.time.Duration;

/// What a {@link TallyClient} needs to know.
///
/// @param target `host:port` of the service
/// @param trustDirectory holds what this client has pinned and verified, one folder per ledger;
///   keep it as long as the ledger matters
/// @param callTimeout of one attempt of a read
/// @param retry for appends and reads alike
/// @param inFlightBytesMax of unanswered appends on one stream; more waits. Default 8 MiB, what the
///   service admits per connection
public record ClientConfig(
    String target,
    Path trustDirectory,
    Duration callTimeout,
    RetryPolicy retry,
    int inFlightBytesMax) {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
  private static final int IN_FLIGHT_BYTES_MAX = 8 << 20;

  public ClientConfig {
    if (target.isBlank()) {
      throw new IllegalArgumentException("target is empty, want host:port");
    }
    if (!callTimeout.isPositive()) {
      throw new IllegalArgumentException("callTimeout " + callTimeout + " is not positive");
    }
    if (inFlightBytesMax < 1) {
      throw new IllegalArgumentException("inFlightBytesMax " + inFlightBytesMax + ", at least 1");
    }
  }

  public static ClientConfig of(String target, Path trustDirectory) {
    return new ClientConfig(
        target, trustDirectory, CALL_TIMEOUT, RetryPolicy.DEFAULT, IN_FLIGHT_BYTES_MAX);
  }

  public ClientConfig withCallTimeout(Duration timeout) {
    return new ClientConfig(target, trustDirectory, timeout, retry, inFlightBytesMax);
  }

  public ClientConfig withRetry(RetryPolicy policy) {
    return new ClientConfig(target, trustDirectory, callTimeout, policy, inFlightBytesMax);
  }

  public ClientConfig withInFlightBytesMax(int bytes) {
    return new ClientConfig(target, trustDirectory, callTimeout, retry, bytes);
  }
}
