package io.tallystick.bench.service;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.cli.Tally;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerState;
import io.tallystick.client.TallyClient;
import io.tallystick.client.state.StateReading;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.node.KeptState;
import io.tallystick.node.StatePruning;
import io.tallystick.proxy.operate.Operator;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// How long does the first reader of a block between two saved versions wait, whose state is made
/// from the version below and 100,000 puts? Through an idle service, which keeps one older version:
/// that of the block before those puts. Every answer is verified.
public final class BetweenBench {
  public static final String BETWEEN = "between";

  /// Operations from the saved version to the block that is read.
  public static final int PUTS = 100_000;

  private static final double WANTED_SECONDS = 3;
  private static final int READS = 20;
  private static final double NANOS_PER_MS = 1e6;

  /// More than a version of so many keys takes.
  private static final long MEGABYTES_MIN = 64;

  private static final long KEYS_OF_MEGABYTE = 1_000;

  /// A service that has something to save does so within ten seconds.
  static final long SAVED_MILLIS = 13_000;

  private final Signer signer = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
  private final ClientKey owner = ClientKey.of(signer);
  private final Path home;
  private final long keys;
  private final int puts;
  private final int repetitions;
  private final Narrator say;
  private final double[] first;
  private final double[] further;
  private final double[] newest;

  /// @param home an empty folder for the service's data
  /// @param keys of the ledger
  /// @param puts from the saved version to the block that is read, {@link #PUTS} or fewer
  public BetweenBench(Path home, long keys, int puts, int repetitions, Narrator say) {
    this.home = home;
    this.keys = keys;
    this.puts = puts;
    this.repetitions = repetitions;
    this.say = say;
    this.first = new double[repetitions];
    this.further = new double[repetitions];
    this.newest = new double[repetitions];
  }

  public List<BenchCase> measure() throws Exception {
    Path data = home.resolve(BETWEEN);
    long megabytes = Math.max(MEGABYTES_MIN, keys / KEYS_OF_MEGABYTE);
    List<String> versions =
        List.of("--state-versions", "1", "--state-versions-megabytes", String.valueOf(megabytes));
    try (ServiceProcess service =
            ServiceProcess.start(data, home.resolve("between.log"), 0, Tally.class, versions);
        StateClient client = new StateClient(service.target(), owner, signer);
        TallyClient reader =
            TallyClient.connect(
                ClientConfig.of(service.target(), home.resolve("between.trust"))
                    .withReader(owner))) {
      StateClient.Founded ledger = client.found(BETWEEN, true);
      double rate = client.append(ledger, StateKeys.ascending(), keys);
      say.say(String.format(Locale.ROOT, "  %,d keys at %,.0f journals/s", keys, rate));
      LedgerState state = reader.open(ledger.strand().ledger()).state();
      long base = newestHeight(state);
      KeptState kept =
          new Operator(data).prune(ledger.strand().ledger(), new StatePruning.Below(base));
      if (kept.olderVersions() > 0) {
        throw new IllegalStateException(kept.olderVersions() + " older versions are kept");
      }
      long[] heights = heights(client, ledger, state);
      Thread.sleep(SAVED_MILLIS);
      for (int i = 0; i < repetitions; i++) {
        read(i, state, heights[repetitions - 1 - i]);
      }
    }
    String departs = "at most 1 older version, older versions of any size";
    return List.of(
        BenchCase.beside("between-first", first, "s", WANTED_SECONDS).departing(departs),
        BenchCase.spread("between-further", "ms", further).departing(departs),
        BenchCase.spread("between-newest", "ms", newest).departing(departs));
  }

  private static long newestHeight(LedgerState state) throws Exception {
    return state.get(StateKeys.key(0)).height();
  }

  /// Of a block so many puts on, and of one more for each further repetition, each a batch above
  /// the one before: the state of one is not made from another's when they are read downwards.
  /// Behind the last lie as many puts as a fifth of those, so that it is not the newest that is
  /// saved.
  private long[] heights(StateClient client, StateClient.Founded ledger, LedgerState state)
      throws Exception {
    long[] heights = new long[repetitions];
    double rate = 0;
    for (int i = 0; i < repetitions; i++) {
      double each = client.append(ledger, StateKeys.among(keys), i == 0 ? puts : 1);
      rate = i == 0 ? each : rate;
      heights[i] = newestHeight(state);
    }
    var _ = client.append(ledger, StateKeys.among(keys), Math.ceilDiv(puts, 5));
    say.say(String.format(Locale.ROOT, "  %,d puts more at %,.0f journals/s", puts, rate));
    return heights;
  }

  private void read(int repetition, LedgerState state, long height) throws Exception {
    first[repetition] = millis(state, 0, height) / 1e3;
    double[] kept = new double[READS];
    double[] now = new double[READS];
    for (int i = 0; i < READS; i++) {
      kept[i] = millis(state, i + 1L, height);
      now[i] = millis(state, i + 1L, -1);
    }
    further[repetition] = BenchCase.median(kept);
    newest[repetition] = BenchCase.median(now);
    say.say(
        String.format(
            Locale.ROOT,
            "  block %,d: %.2f s, then %.2f ms a read; %.2f ms of the newest",
            height,
            first[repetition],
            further[repetition],
            newest[repetition]));
  }

  /// @param height below 0: the newest
  private double millis(LedgerState state, long key, long height) throws Exception {
    long started = System.nanoTime();
    StateReading reading =
        height < 0 ? state.get(StateKeys.key(key)) : state.get(StateKeys.key(key), height);
    double millis = (System.nanoTime() - started) / NANOS_PER_MS;
    if (reading.value().isEmpty()) {
      throw new IllegalStateException("key " + key + " has no value at block " + height);
    }
    return millis;
  }
}
