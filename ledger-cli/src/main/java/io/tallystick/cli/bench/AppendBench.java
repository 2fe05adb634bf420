package io.tallystick.cli.bench;

import io.tallystick.cli.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
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
      List.of("signed-256", "batch-256", "batch-1024", "latency");

  private static final int BATCH = 1000;
  private static final int SINGLES_IN_FLIGHT = 2000;
  private static final int BATCHES_IN_FLIGHT = 8;
  private static final int LATENCY_RATE = 5000;
  private static final double LIMIT_SECONDS = 3;

  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final Narrator say;

  /// Receives progress line by line.
  @FunctionalInterface
  public interface Narrator {
    void say(String line);
  }

  /// @param home an empty folder for the service's data
  /// @param seconds measured per case
  /// @param warmUpSeconds before that, not counted: both processes compile their hot code
  public AppendBench(Path home, double seconds, double warmUpSeconds, Narrator say) {
    this.home = home;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.say = say;
  }

  /// @param root of the sources, for their commit
  public BenchReport run(List<String> names, Path root) throws Exception {
    List<BenchCase> cases = new ArrayList<>();
    for (String name : names) {
      say.say("measuring " + name + " ...");
      cases.add(measure(name));
    }
    return new BenchReport("append", ThisMachine.describe(), ThisMachine.commit(root), cases);
  }

  private BenchCase measure(String name) throws Exception {
    double limit = limitOf(name);
    Path data = home.resolve(name);
    try (ServiceProcess service = ServiceProcess.start(data, home.resolve(name + ".log"));
        TallyClient client =
            TallyClient.connect(ClientConfig.of(service.target(), home.resolve(name + ".trust")))) {
      LedgerHandle ledger =
          client.createLedger("bench", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      return switch (name) {
        case "signed-256" ->
            BenchCase.throughput(name, closedLoop(ledger, 256, 1, SINGLES_IN_FLIGHT), limit);
        case "batch-256" ->
            BenchCase.throughput(name, closedLoop(ledger, 256, BATCH, BATCHES_IN_FLIGHT), limit);
        case "batch-1024" ->
            BenchCase.throughput(name, closedLoop(ledger, 1024, BATCH, BATCHES_IN_FLIGHT), limit);
        case "latency" -> latency(name, ledger);
        default -> throw new IllegalArgumentException("no case " + name);
      };
    }
  }

  private double limitOf(String name) throws Exception {
    return switch (name) {
      case "signed-256" -> Limits.signAndVerify(SignatureProviders.best(), LIMIT_SECONDS);
      case "batch-256" -> Limits.bareLoop(home, 256, LIMIT_SECONDS);
      case "batch-1024" -> Limits.bareLoop(home, 1024, LIMIT_SECONDS);
      default -> LATENCY_RATE;
    };
  }

  /// Journals per second with so many submissions in flight; two threads sign.
  private double closedLoop(LedgerHandle ledger, int payloadBytes, int batch, int inFlight)
      throws Exception {
    closedLoop(ledger, payloadBytes, batch, inFlight, warmUpSeconds);
    return closedLoop(ledger, payloadBytes, batch, inFlight, seconds);
  }

  private static double closedLoop(
      LedgerHandle ledger, int payloadBytes, int batch, int inFlight, double duration)
      throws Exception {
    Semaphore permits = new Semaphore(inFlight);
    AtomicLong answered = new AtomicLong();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    long started = System.nanoTime();
    long deadline = started + (long) (duration * 1e9);
    Runnable sender =
        () -> {
          SplittableRandom random = new SplittableRandom(Thread.currentThread().threadId());
          try {
            while (System.nanoTime() < deadline && failure.get() == null) {
              permits.acquire();
              var _ =
                  submit(ledger, drafts(random, payloadBytes, batch))
                      .whenComplete((_, e) -> {
                        permits.release();
                        if (e == null) {
                          answered.addAndGet(batch);
                        } else {
                          failure.compareAndSet(null, e);
                        }
                      });
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
    permits.acquire(inFlight);
    double elapsed = (System.nanoTime() - started) / 1e9;
    throwIfFailed(failure);
    return answered.get() / elapsed;
  }

  private static CompletableFuture<?> submit(LedgerHandle ledger, List<JournalDraft> drafts)
      throws Exception {
    return drafts.size() == 1
        ? ledger.appendAsync(drafts.getFirst())
        : ledger.appendBatchAsync(drafts);
  }

  private static List<JournalDraft> drafts(SplittableRandom random, int payloadBytes, int count) {
    List<JournalDraft> drafts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      byte[] payload = new byte[payloadBytes];
      random.nextBytes(payload);
      drafts.add(JournalDraft.of(Bytes.wrap(payload), "application/octet-stream"));
    }
    return drafts;
  }

  /// Open loop: every request has a due time and its latency counts from then, so that a stall is
  /// charged to all that it delayed.
  private BenchCase latency(String name, LedgerHandle ledger) throws Exception {
    openLoop(ledger, warmUpSeconds);
    long started = System.nanoTime();
    long[] nanos = openLoop(ledger, seconds);
    double rate = nanos.length / ((System.nanoTime() - started) / 1e9);
    Arrays.sort(nanos);
    return new BenchCase(
        name,
        BenchCase.round(rate),
        "journals/s",
        (double) LATENCY_RATE,
        BenchCase.round(rate / LATENCY_RATE),
        BenchCase.round(nanos[nanos.length / 2] / 1e6),
        BenchCase.round(nanos[(int) (nanos.length * 0.99)] / 1e6));
  }

  private static long[] openLoop(LedgerHandle ledger, double duration) throws Exception {
    int count = (int) (LATENCY_RATE * duration);
    long[] nanos = new long[count];
    Semaphore answered = new Semaphore(0);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    SplittableRandom random = new SplittableRandom(7);
    long started = System.nanoTime();
    for (int i = 0; i < count && failure.get() == null; i++) {
      long due = started + i * 1_000_000_000L / LATENCY_RATE;
      for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      int index = i;
      var _ =
          ledger
              .appendAsync(drafts(random, 256, 1).getFirst())
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
