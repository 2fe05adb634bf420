package io.tallystick.client;

import io.tallystick.client.failure.RetryPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a {@link TallyClient} needs to know.
///
/// @param target `host:port` of the service
/// @param trustDirectory holds what this client has pinned and verified, one folder per ledger;
///   keep it as long as the ledger matters
/// @param callTimeout of one attempt of a read
/// @param retry for appends and reads alike
/// @param inFlightBytesMax of unanswered appends on one stream; more waits. Default 8 MiB, what the
///   service admits per connection
/// @param reader the member's key that signs tokens for reading ledgers that are not public; null:
///   the first signer with which a ledger is founded or opened
/// @param tls null: nothing is encrypted, for services on this machine only. Default: null where
///   the target is a loopback address or `localhost`, else {@link TlsOptions#DEFAULT}
public record ClientConfig(
    String target,
    Path trustDirectory,
    Duration callTimeout,
    RetryPolicy retry,
    int inFlightBytesMax,
    @Nullable ClientKey reader,
    @Nullable TlsOptions tls) {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
  private static final int IN_FLIGHT_BYTES_MAX = 8 << 20;
  private static final Pattern LOOPBACK =
      Pattern.compile("(localhost|127\\.[0-9.]+|\\[::1])(:[0-9]+)?");

  public ClientConfig {
    if (target.isBlank()) {
      throw new IllegalArgumentException("target is empty, want host:port");
    }
    if (tls == null && !isLoopback(target)) {
      throw new IllegalArgumentException(target + " is not this machine: that needs TLS");
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
        target,
        trustDirectory,
        CALL_TIMEOUT,
        RetryPolicy.DEFAULT,
        IN_FLIGHT_BYTES_MAX,
        null,
        isLoopback(target) ? null : TlsOptions.DEFAULT);
  }

  static boolean isLoopback(String target) {
    return LOOPBACK.matcher(target).matches();
  }

  public ClientConfig withCallTimeout(Duration timeout) {
    return new ClientConfig(target, trustDirectory, timeout, retry, inFlightBytesMax, reader, tls);
  }

  public ClientConfig withRetry(RetryPolicy policy) {
    return new ClientConfig(
        target, trustDirectory, callTimeout, policy, inFlightBytesMax, reader, tls);
  }

  public ClientConfig withInFlightBytesMax(int bytes) {
    return new ClientConfig(target, trustDirectory, callTimeout, retry, bytes, reader, tls);
  }

  public ClientConfig withReader(ClientKey key) {
    return new ClientConfig(target, trustDirectory, callTimeout, retry, inFlightBytesMax, key, tls);
  }

  public ClientConfig withTls(TlsOptions options) {
    return new ClientConfig(
        target, trustDirectory, callTimeout, retry, inFlightBytesMax, reader, options);
  }
}
