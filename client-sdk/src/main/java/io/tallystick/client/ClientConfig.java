package io.tallystick.client;

import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.trust.WitnessQuorum;
import io.tallystick.note.WitnessKey;
import io.tallystick.note.Witnesses;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
/// @param witnesses who must have cosigned what this client believes; null: nobody
/// @param maxHeadAge how old the newest head of a ledger may be when it is read, by this machine's
///   clock; null: any age. Not for appends. See {@link #withMaxHeadAge}
public record ClientConfig(
    String target,
    Path trustDirectory,
    Duration callTimeout,
    RetryPolicy retry,
    int inFlightBytesMax,
    @Nullable ClientKey reader,
    @Nullable TlsOptions tls,
    @Nullable WitnessQuorum witnesses,
    @Nullable Duration maxHeadAge) {
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
    if (maxHeadAge != null && !maxHeadAge.isPositive()) {
      throw new IllegalArgumentException("maxHeadAge " + maxHeadAge + " is not positive");
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
        isLoopback(target) ? null : TlsOptions.DEFAULT,
        null,
        null);
  }

  static boolean isLoopback(String target) {
    return LOOPBACK.matcher(target).matches();
  }

  public ClientConfig withCallTimeout(Duration timeout) {
    return new ClientConfig(
        target,
        trustDirectory,
        timeout,
        retry,
        inFlightBytesMax,
        reader,
        tls,
        witnesses,
        maxHeadAge);
  }

  public ClientConfig withRetry(RetryPolicy policy) {
    return new ClientConfig(
        target,
        trustDirectory,
        callTimeout,
        policy,
        inFlightBytesMax,
        reader,
        tls,
        witnesses,
        maxHeadAge);
  }

  public ClientConfig withInFlightBytesMax(int bytes) {
    return new ClientConfig(
        target, trustDirectory, callTimeout, retry, bytes, reader, tls, witnesses, maxHeadAge);
  }

  public ClientConfig withReader(ClientKey key) {
    return new ClientConfig(
        target,
        trustDirectory,
        callTimeout,
        retry,
        inFlightBytesMax,
        key,
        tls,
        witnesses,
        maxHeadAge);
  }

  public ClientConfig withTls(TlsOptions options) {
    return new ClientConfig(
        target,
        trustDirectory,
        callTimeout,
        retry,
        inFlightBytesMax,
        reader,
        options,
        witnesses,
        maxHeadAge);
  }

  /// A head is believed only if so many of these witnesses have cosigned it or a later one.
  /// Founding a ledger asks for none: nobody can have seen it.
  ///
  /// @param keys 1 to 14, from the witnesses themselves and not from the service
  /// @param quorum 1 to the number of keys
  public ClientConfig withWitnesses(List<WitnessKey> keys, int quorum) {
    return withWitnesses(WitnessQuorum.of(new Witnesses(keys, quorum)));
  }

  /// The same with another wait.
  public ClientConfig withWitnesses(WitnessQuorum demanded) {
    return new ClientConfig(
        target,
        trustDirectory,
        callTimeout,
        retry,
        inFlightBytesMax,
        reader,
        tls,
        demanded,
        maxHeadAge);
  }

  /// A read fails with a `StaleHeadException` if the newest head that the service shows is older.
  /// Age is the time since the newest seal. A ledger to which nothing is appended seals no block
  /// and gets no time journal: its head grows old with nothing withheld.
  public ClientConfig withMaxHeadAge(Duration age) {
    return new ClientConfig(
        target, trustDirectory, callTimeout, retry, inFlightBytesMax, reader, tls, witnesses, age);
  }
}
