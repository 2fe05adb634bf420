package io.tallystick.bench.service;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.DiskUse;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.ServiceChannel;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.node.KeptState;
import io.tallystick.proxy.operate.Operator;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.storage.forest.ForestStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// What does a put cost where it is used: how many journals per second with one put each does a
/// service take, on a ledger without keys and on one with many, and an auditor check, beside as
/// many without? A fixed number, by turns, on ledgers of one service, with one client for all.
/// Every receipt is verified. The puts of the large ledger are updates of random keys, so that it
/// stays as large.
public final class StateServiceBench {
  public static final String SERVICE = "service";
  private static final double SERVICE_WANTED = 0.15;
  private static final double AUDIT_WANTED = 0.2;

  private final Signer signer = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
  private final ClientKey owner = ClientKey.of(signer);
  private final Path home;
  private final long puts;
  private final long keys;
  private final double warmUpSeconds;
  private final int repetitions;
  private final Narrator say;
  private final double[] without;
  private final double[] with;
  private final double[] loaded;
  private final double[] auditWithout;
  private final double[] auditWith;
  private double cacheOfLoaded;

  /// @param home an empty folder for the service's data
  /// @param puts journals of each measurement
  /// @param keys of the large ledger
  public StateServiceBench(
      Path home, long puts, long keys, double warmUpSeconds, int repetitions, Narrator say) {
    this.home = home;
    this.puts = puts;
    this.keys = keys;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.say = say;
    this.without = new double[repetitions];
    this.with = new double[repetitions];
    this.loaded = new double[repetitions];
    this.auditWithout = new double[repetitions];
    this.auditWith = new double[repetitions];
  }

  /// A ledger and its saved log.
  private record Log(StateClient.Founded ledger, Path file) {}

  public List<BenchCase> measure() throws Exception {
    List<Log> logs = append();
    Log plain = logs.getFirst();
    Log state = logs.getLast();
    audit(plain);
    audit(state);
    for (int i = 0; i < repetitions; i++) {
      auditWithout[i] = audit(plain);
      auditWith[i] = audit(state);
      say.say(
          String.format(
              Locale.ROOT,
              "  %,.0f journals/s audited without puts, %,.0f with",
              auditWithout[i],
              auditWith[i]));
    }
    String unit = BenchCase.JOURNALS_PER_SECOND;
    double cacheOfNew = cacheOfLoaded * keys / puts; // as many bytes a key, at the end
    return List.of(
        BenchCase.spread("service-without", unit, without),
        BenchCase.spread("service-with-put", unit, with).under(cacheOfNew, ""),
        ratio("service-ratio", with, without, SERVICE_WANTED).under(cacheOfNew, ""),
        BenchCase.spread("service-loaded", unit, loaded).under(cacheOfLoaded, ""),
        ratio("service-loaded-ratio", loaded, without, SERVICE_WANTED).under(cacheOfLoaded, ""),
        BenchCase.spread("service-audit-without", unit, auditWithout),
        BenchCase.spread("service-audit-with-put", unit, auditWith),
        ratio("service-audit-ratio", auditWith, auditWithout, AUDIT_WANTED));
  }

  private static BenchCase ratio(String name, double[] above, double[] below, double wanted) {
    return BenchCase.beside(name, BenchCase.ratios(above, below), "x", wanted);
  }

  /// @return the last ledger without puts, and the last that began without keys
  private List<Log> append() throws Exception {
    Path data = home.resolve(SERVICE);
    try (ServiceProcess service = ServiceProcess.start(data, home.resolve("service.log"));
        StateClient client = new StateClient(service.target(), owner, signer)) {
      var _ = client.throughput(client.found("warm without", false), false, warmUpSeconds);
      var _ = client.throughput(client.found("warm with", true), true, warmUpSeconds);
      StateClient.Founded large = client.found("large", true);
      Thread.sleep(BetweenBench.SAVED_MILLIS);
      long before = indexBytes(data);
      double rate = client.append(large, StateKeys.ascending(), keys);
      Thread.sleep(BetweenBench.SAVED_MILLIS);
      cacheOfLoaded = cacheOf(indexBytes(data) - before);
      say.say(String.format(Locale.ROOT, "  %,d keys at %,.0f journals/s", keys, rate));
      StateClient.Founded plain = large;
      StateClient.Founded state = large;
      for (int i = 0; i < repetitions; i++) {
        plain = client.found("without " + i, false);
        without[i] = client.append(plain, null, puts);
        state = client.found("with " + i, true);
        with[i] = client.append(state, StateKeys.ascending(), puts);
        loaded[i] = client.append(large, StateKeys.among(keys), puts);
        say.say(
            String.format(
                Locale.ROOT,
                "  %,.0f journals/s without puts, %,.0f with, %,.0f on the large ledger",
                without[i],
                with[i],
                loaded[i]));
      }
      return List.of(
          save(service, plain, home.resolve("plain.tlog")),
          save(service, state, home.resolve("state.tlog")));
    }
  }

  /// Of the newest versions of all states of a service that has nothing to save.
  private static long indexBytes(Path data) throws Exception {
    long older = new Operator(data).keptStates().stream().mapToLong(KeptState::olderBytes).sum();
    return DiskUse.bytesBelow(data.resolve(ForestStore.FOLDER)) - older;
  }

  private static double cacheOf(long indexBytes) {
    return (double) NodeSeams.stateCacheBytes(ServiceProcess.heapBytes()) / Math.max(1, indexBytes);
  }

  private Log save(ServiceProcess service, StateClient.Founded ledger, Path file) throws Exception {
    ClientConfig config =
        ClientConfig.of(service.target(), home.resolve("audit.trust")).withReader(owner);
    ManagedChannel channel = ServiceChannel.reading(config, ledger.strand().ledger());
    try {
      long entries = LogCopy.save(new RemoteLogSource(channel, ledger.strand()), file);
      say.say(String.format(Locale.ROOT, "  saved %,d entries", entries));
      return new Log(ledger, file);
    } finally {
      channel.shutdownNow();
    }
  }

  private static double audit(Log log) throws Exception {
    long started = System.nanoTime();
    AuditReport report =
        new Auditor(SignatureProviders.best())
            .audit(
                log.ledger.strand().ledger(), new LogCopySource(log.file), AuditOptions.defaults());
    double elapsed = (System.nanoTime() - started) / 1e9;
    if (report.firstFault().isPresent()) {
      throw new IllegalStateException(AuditText.of(report));
    }
    return report.counts().journals() / elapsed;
  }
}
