package io.tallystick.bench.service;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.BenchReport;
import io.tallystick.bench.figure.CpuTime;
import io.tallystick.bench.figure.Latencies;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.crypto.provider.SignatureProviders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// How many journals per second does a client get durably committed, sealed and verified, over
/// loopback gRPC, with client and service in processes of their own sharing the machine? Payloads
/// are random, every receipt is verified, and every figure stands beside the limit measured in the
/// same run.
public final class AppendBench {
  public static final List<String> CASES =
      List.of("signed-256", "batch-256", "batch-1024", "latency", "audit", "audit-no-bodies");

  /// Those that run only when asked for by name: each takes minutes.
  public static final List<String> LONG_CASES = List.of("blocks", "start", "restart", "sustained");

  /// An audit's log has as many journals for each second that other cases measure.
  private static final int AUDITED_PER_SECOND = 100_000;

  private static final int BATCH = 1000;
  private static final int SINGLES_IN_FLIGHT = 2000;
  private static final int BATCHES_IN_FLIGHT = 8;

  private static final int LATENCY_RATE = 5000;
  private static final double LIMIT_SECONDS = 3;

  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final Narrator say;
  private long journals = 10_000_000;
  private int minutes = 15;

  /// @param home an empty folder for the service's data
  /// @param seconds measured per case
  /// @param warmUpSeconds before that, not counted: both processes compile their hot code
  /// @param repetitions of the measurement, each beside a limit of its own
  public AppendBench(
      Path home, double seconds, double warmUpSeconds, int repetitions, Narrator say) {
    this.home = home;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.say = say;
  }

  /// Other lengths of the long cases.
  ///
  /// @param restartJournals in the ledger when the service is killed
  /// @param sustainedMinutes of load
  public AppendBench withLong(long restartJournals, int sustainedMinutes) {
    journals = restartJournals;
    minutes = sustainedMinutes;
    return this;
  }

  /// @param root of the sources, for their commit
  public BenchReport run(List<String> names, Path root) throws Exception {
    List<BenchCase> cases = new ArrayList<>();
    AuditBench audits =
        new AuditBench(home, (int) (seconds * AUDITED_PER_SECOND), repetitions, say);
    for (String name : names) {
      say.say("measuring " + name + " ...");
      switch (name) {
        case "start" -> cases.addAll(new StartBench(home, say).run());
        case "blocks" -> cases.addAll(new BlocksBench(home, seconds, warmUpSeconds, say).run());
        case "restart" -> cases.addAll(new RestartBench(home, journals, true, say).run());
        case "sustained" ->
            cases.addAll(
                new SustainedBench(home, minutes, Duration.ofMinutes(1), warmUpSeconds, say).run());
        case "audit", "audit-no-bodies" -> cases.add(audits.measure(name));
        default -> cases.add(measure(name));
      }
    }
    return new BenchReport("append", ThisMachine.describe(), ThisMachine.commit(root), cases);
  }

  private BenchCase measure(String name) throws Exception {
    Path data = home.resolve(name);
    try (ServiceProcess service = ServiceProcess.start(data, home.resolve(name + ".log"));
        TallyClient client =
            TallyClient.connect(ClientConfig.of(service.target(), home.resolve(name + ".trust")))) {
      LedgerHandle ledger =
          client.createLedger("bench", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      return switch (name) {
        case "signed-256" ->
            throughput(name, service, new AppendLoads.Load(ledger, 256, 1, SINGLES_IN_FLIGHT));
        case "batch-256" ->
            throughput(name, service, new AppendLoads.Load(ledger, 256, BATCH, BATCHES_IN_FLIGHT));
        case "batch-1024" ->
            throughput(name, service, new AppendLoads.Load(ledger, 1024, BATCH, BATCHES_IN_FLIGHT));
        case "latency" -> latency(name, ledger);
        default -> throw new IllegalArgumentException("no case " + name);
      };
    }
  }

  private double limitOf(String name) throws Exception {
    return switch (name) {
      case "signed-256" -> MachineLimits.signAndVerify(SignatureProviders.best(), LIMIT_SECONDS);
      case "batch-256" -> MachineLimits.bareLoop(home, 256, LIMIT_SECONDS);
      case "batch-1024" -> MachineLimits.bareLoop(home, 1024, LIMIT_SECONDS);
      default -> throw new IllegalArgumentException("no limit for " + name);
    };
  }

  private BenchCase throughput(String name, ServiceProcess service, AppendLoads.Load load)
      throws Exception {
    AppendLoads.closedLoop(load, warmUpSeconds);
    List<BenchCase.Run> runs = new ArrayList<>();
    for (int i = 0; i < repetitions; i++) {
      double limit = limitOf(name);
      CpuTime before = CpuTime.now(service.pid());
      long heightBefore = load.ledger().newestBlock().height();
      AppendLoads.Answered answered = AppendLoads.closedLoop(load, seconds);
      CpuTime.Cost cost = before.per(answered.journals(), CpuTime.now(service.pid()));
      runs.add(new BenchCase.Run(answered.perSecond(), limit, cost));
      long blocks = load.ledger().newestBlock().height() - heightBefore;
      say.say(
          String.format(
              Locale.ROOT,
              "  %,.0f journals/s, %.1f %% of %,.0f; %.1f journals a block; processor time per"
                  + " journal: client %.1f, service %.1f us",
              answered.perSecond(),
              100 * answered.perSecond() / limit,
              limit,
              (double) answered.journals() / Math.max(1, blocks),
              cost.clientMicros(),
              cost.serviceMicros()));
    }
    return BenchCase.throughput(name, runs);
  }

  private BenchCase latency(String name, LedgerHandle ledger) throws Exception {
    AppendLoads.openLoop(ledger, (int) (LATENCY_RATE * warmUpSeconds), LATENCY_RATE);
    int count = Math.max(1, (int) (LATENCY_RATE * seconds));
    double[] rates = new double[repetitions];
    List<Latencies> calls = new ArrayList<>();
    for (int i = 0; i < repetitions; i++) {
      long started = System.nanoTime();
      long[] nanos = AppendLoads.openLoop(ledger, count, LATENCY_RATE);
      rates[i] = nanos.length / ((System.nanoTime() - started) / 1e9);
      calls.add(Latencies.of(Arrays.stream(nanos)));
      say.say(
          String.format(
              Locale.ROOT,
              "  %,.0f journals/s, p50 %.2f ms, p99 %.2f ms",
              rates[i],
              calls.getLast().p50(),
              calls.getLast().p99()));
    }
    double rate = BenchCase.median(rates);
    return new BenchCase(
        name,
        BenchCase.round(rate),
        BenchCase.JOURNALS_PER_SECOND,
        (double) LATENCY_RATE,
        BenchCase.round(rate / LATENCY_RATE),
        null,
        BenchCase.round(BenchCase.median(Latencies.each(calls, Latencies::p50))),
        BenchCase.round(BenchCase.median(Latencies.each(calls, Latencies::p99))),
        null,
        null);
  }
}
