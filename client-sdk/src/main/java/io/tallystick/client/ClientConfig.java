package io.tallystick.client;

import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.trust.WitnessQuorum;
import io.tallystick.note.WitnessKey;
import io.tallystick.note.Witnesses;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The configuration of a {@link TallyClient}.
///
/// @param target where the service is reached: one address or several
/// @param trustDirectory holds what this client has pinned and verified, one folder per ledger;
///   keep it as long as the ledger matters
/// @param calls how the service is called
/// @param reader the member's key that signs tokens for reading ledgers that are not public; null:
///   the first signer with which a ledger is founded or opened
/// @param tls null: nothing is encrypted, for services on this machine only. Default: null where
///   all of the target is a loopback address or `localhost`, else {@link TlsOptions#DEFAULT}
/// @param heads what the head of a ledger must be
public record ClientConfig(
    ServiceTarget target,
    Path trustDirectory,
    Calls calls,
    @Nullable ClientKey reader,
    @Nullable TlsOptions tls,
    HeadDemands heads) {
  /// @param timeout of one attempt of a read. An append is awaited so long or for the retry
  ///   policy's time, whichever is longer. Default 10 s
  /// @param retry for appends and reads alike
  /// @param inFlightBytesMax of unanswered appends on one stream; more waits. Default 8 MiB, what
  ///   the service admits per connection
  public record Calls(Duration timeout, RetryPolicy retry, int inFlightBytesMax) {
    private static final Calls DEFAULT =
        new Calls(Duration.ofSeconds(10), RetryPolicy.DEFAULT, 8 << 20);

    public Calls {
      if (!timeout.isPositive()) {
        throw new IllegalArgumentException("callTimeout " + timeout + " is not positive");
      }
      if (inFlightBytesMax < 1) {
        throw new IllegalArgumentException("inFlightBytesMax " + inFlightBytesMax + ", at least 1");
      }
    }
  }

  /// @param witnesses who must have cosigned what this client believes; null: nobody
  /// @param maxAge how old the newest head of a ledger may be when it is read, by this machine's
  ///   clock; null: any age. Not for appends. See {@link #withMaxHeadAge}
  public record HeadDemands(@Nullable WitnessQuorum witnesses, @Nullable Duration maxAge) {
    private static final HeadDemands NONE = new HeadDemands(null, null);

    public HeadDemands {
      if (maxAge != null && !maxAge.isPositive()) {
        throw new IllegalArgumentException("maxHeadAge " + maxAge + " is not positive");
      }
    }
  }

  public ClientConfig {
    if (tls == null && !target.isLoopback()) {
      throw new IllegalArgumentException(target + " is not this machine: that needs TLS");
    }
  }

  /// @param target `host:port`; several of one service, with commas between; or `dns:///name:port`
  /// @throws IllegalArgumentException if it is none of these
  public static ClientConfig of(String target, Path trustDirectory) {
    return of(ServiceTarget.parse(target), trustDirectory);
  }

  public static ClientConfig of(ServiceTarget target, Path trustDirectory) {
    TlsOptions tls = target.isLoopback() ? null : TlsOptions.DEFAULT;
    return new ClientConfig(target, trustDirectory, Calls.DEFAULT, null, tls, HeadDemands.NONE);
  }

  public ClientConfig withCallTimeout(Duration timeout) {
    return with(new Calls(timeout, calls.retry(), calls.inFlightBytesMax()));
  }

  public ClientConfig withRetry(RetryPolicy policy) {
    return with(new Calls(calls.timeout(), policy, calls.inFlightBytesMax()));
  }

  public ClientConfig withInFlightBytesMax(int bytes) {
    return with(new Calls(calls.timeout(), calls.retry(), bytes));
  }

  private ClientConfig with(Calls changed) {
    return new ClientConfig(target, trustDirectory, changed, reader, tls, heads);
  }

  public ClientConfig withReader(ClientKey key) {
    return new ClientConfig(target, trustDirectory, calls, key, tls, heads);
  }

  public ClientConfig withTls(TlsOptions options) {
    return new ClientConfig(target, trustDirectory, calls, reader, options, heads);
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
    return with(new HeadDemands(demanded, heads.maxAge()));
  }

  /// A read fails with a `StaleHeadException` if the newest head that the service shows is older.
  /// Age is the time since the newest seal. A ledger to which nothing is appended seals no block
  /// and gets no time journal: its head grows old with nothing withheld.
  public ClientConfig withMaxHeadAge(Duration age) {
    return with(new HeadDemands(heads.witnesses(), age));
  }

  private ClientConfig with(HeadDemands changed) {
    return new ClientConfig(target, trustDirectory, calls, reader, tls, changed);
  }
}
