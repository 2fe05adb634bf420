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
import io.tallystick.client.JournalDraft;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// How many journals per second does a client get durably committed, sealed and verified, over
/// loopback gRPC, with client and service in processes of their own sharing the machine? Payloads
/// are random, every receipt is verified, and every figure stands beside the limit measured in the
/// same run.
public final class AppendBench {
  public static final List<String> CASES =
      List.of("signed-256", "batch-256", "batch-1024", "latency", "audit", "audit-no-bodies");

  /// Those that run only when asked for by name: each takes minutes.
  public static final List<String> LONG_CASES = List.of("start", "restart", "sustained");

  /// An audit's log has as many journals for each second that other cases measure.
  private static final int AUDITED_PER_SECOND = 100_000;

  private static final int BATCH = 1000;
  private static final int SINGLES_IN_FLIGHT = 2000;
  private static final int BATCHES_IN_FLIGHT = 8;

  /// A sender waits for this part of what may be in flight, not for every single answer.
  private static final int STRIDES_IN_FLIGHT = 128;

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
        case "signed-256" -> throughput(name, service, new Load(ledger, 256, 1, SINGLES_IN_FLIGHT));
        case "batch-256" ->
            throughput(name, service, new Load(ledger, 256, BATCH, BATCHES_IN_FLIGHT));
        case "batch-1024" ->
            throughput(name, service, new Load(ledger, 1024, BATCH, BATCHES_IN_FLIGHT));
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

  /// What is sent, and how much of it may be unanswered.
  private record Load(LedgerHandle ledger, int payloadBytes, int batch, int inFlight) {}

  private BenchCase throughput(String name, ServiceProcess service, Load load) throws Exception {
    closedLoop(load, warmUpSeconds);
    List<BenchCase.Run> runs = new ArrayList<>();
    for (int i = 0; i < repetitions; i++) {
      double limit = limitOf(name);
      CpuTime before = CpuTime.now(service.pid());
      long heightBefore = load.ledger().newestBlock().height();
      Answered answered = closedLoop(load, seconds);
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

  private record Answered(long journals, double elapsedSeconds) {
    double perSecond() {
      return journals / elapsedSeconds;
    }
  }

  /// With so many submissions in flight; two threads sign.
  private static Answered closedLoop(Load load, double duration) throws Exception {
    Semaphore permits = new Semaphore(load.inFlight());
    AtomicLong answered = new AtomicLong();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    long started = System.nanoTime();
    long deadline = started + (long) (duration * 1e9);
    int stride = Math.max(1, load.inFlight() / STRIDES_IN_FLIGHT);
    Runnable sender =
        () -> {
          Payloads payloads = new Payloads(Thread.currentThread().threadId());
          try {
            while (System.nanoTime() < deadline && failure.get() == null) {
              permits.acquire(stride);
              for (int i = 0; i < stride; i++) {
                var _ =
                    submit(load.ledger(), payloads.drafts(load.payloadBytes(), load.batch()))
                        .whenComplete((_, e) -> {
                          permits.release();
                          if (e == null) {
                            answered.addAndGet(load.batch());
                          } else {
                            failure.compareAndSet(null, e);
                          }
                        });
              }
            }
          } catch (Exception e) {
            failure.compareAndSet(null, e);
          }
        };
    List<Thread> senders =
        List.of(Thread.ofPlatform().start(sender), Thread.ofPlatform().start(sender));
    for (Thread thread : senders) {
      thread.join();
    }
    permits.acquire(load.inFlight());
    double elapsed = (System.nanoTime() - started) / 1e9;
    throwIfFailed(failure);
    return new Answered(answered.get(), elapsed);
  }

  private static CompletableFuture<?> submit(LedgerHandle ledger, List<JournalDraft> drafts)
      throws Exception {
    return drafts.size() == 1
        ? ledger.appendAsync(drafts.getFirst())
        : ledger.appendBatchAsync(drafts);
  }

  /// Open loop: every request has a due time and its latency counts from then, so that a stall is
  /// charged to all that it delayed.
  private BenchCase latency(String name, LedgerHandle ledger) throws Exception {
    openLoop(ledger, (int) (LATENCY_RATE * warmUpSeconds));
    int count = Math.max(1, (int) (LATENCY_RATE * seconds));
    double[] rates = new double[repetitions];
    List<Latencies> calls = new ArrayList<>();
    for (int i = 0; i < repetitions; i++) {
      long started = System.nanoTime();
      long[] nanos = openLoop(ledger, count);
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

  private static long[] openLoop(LedgerHandle ledger, int count) throws Exception {
    long[] nanos = new long[count];
    Semaphore answered = new Semaphore(0);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Payloads payloads = new Payloads(7);
    long started = System.nanoTime();
    for (int i = 0; i < count && failure.get() == null; i++) {
      long due = started + i * 1_000_000_000L / LATENCY_RATE;
      for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      int index = i;
      var _ =
          ledger
              .appendAsync(payloads.drafts(256, 1).getFirst())
              .whenComplete((_, e) -> {
                nanos[index] = System.nanoTime() - due;
                if (e != null) {
                  failure.compareAndSet(null, e);
                }
                answered.release();
              });
    }
    throwIfFailed(failure);
    answered.acquire(count);
    throwIfFailed(failure);
    return nanos;
  }

  private static void throwIfFailed(AtomicReference<@Nullable Throwable> failure) throws Exception {
    Throwable cause = failure.get();
    if (cause != null) {
      throw cause instanceof Exception e ? e : new IllegalStateException(cause);
    }
  }
}
