package io.tallystick.bench.service;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.CpuTime;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.JournalOutcome;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Jsn;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// How many journals per second does a client read back from random places of a log of a million,
/// each verified before it counts: its leaf by inclusion under the trusted head, its batch's
/// signature, its body? Client and service in processes of their own share the machine. The log is
/// batch-signed by 1,000, 256 B each. Asked for by the pack, and one by one.
final class VerifiedReadBench {
  static final String CASE = "verified-read";

  private static final double WANTED_PER_SECOND = 50_000;
  private static final int PACK = 256;
  private static final int PACK_READERS = 4;
  private static final int SINGLE_READERS = 16;

  private final Path home;
  private final long journals;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final Narrator say;

  /// @param journals in the log, at least
  VerifiedReadBench(
      Path home,
      long journals,
      double seconds,
      double warmUpSeconds,
      int repetitions,
      Narrator say) {
    this.home = home;
    this.journals = journals;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.say = say;
  }

  /// Reads `jsns` and returns when all of them are verified.
  private interface Reading {
    void read(LedgerHandle ledger, List<Jsn> jsns) throws TallyException;
  }

  List<BenchCase> run() throws Exception {
    try (ServiceProcess service =
            ServiceProcess.start(home.resolve(CASE), home.resolve(CASE + ".log"));
        TallyClient client =
            TallyClient.connect(ClientConfig.of(service.target(), home.resolve(CASE + ".trust")))) {
      LedgerHandle ledger =
          client.createLedger("bench", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      BatchLoad load = new BatchLoad(ledger);
      load.awaitAcknowledged(
          journals, done -> say.say(String.format(Locale.ROOT, "  made %,d journals", done)));
      load.stop();
      long size = ledger.checkpoint().size().value();
      return List.of(
          measure(CASE, service, ledger, size, PACK, PACK_READERS, VerifiedReadBench::pack),
          measure(
              CASE + "-single",
              service,
              ledger,
              size,
              1,
              SINGLE_READERS,
              (from, jsns) -> check(from.get(jsns.getFirst()))));
    }
  }

  private static void pack(LedgerHandle ledger, List<Jsn> jsns) throws TallyException {
    List<JournalOutcome> outcomes = ledger.get(jsns);
    for (int i = 0; i < jsns.size(); i++) {
      LedgerJournal journal = outcomes.get(i).orThrow();
      check(journal);
      if (!journal.jsn().equals(jsns.get(i))) {
        throw new IllegalStateException(jsns.get(i) + " is answered with " + journal.jsn());
      }
    }
  }

  /// What counts is whole: with its body, and whoever signed it.
  private static void check(LedgerJournal journal) {
    boolean whole =
        journal.header().isEmpty()
            || (journal.bodyState() == BodyState.PRESENT && !journal.signers().isEmpty());
    if (!whole) {
      throw new IllegalStateException("journal " + journal.jsn() + " came without its body");
    }
  }

  private BenchCase measure(
      String name,
      ServiceProcess service,
      LedgerHandle ledger,
      long size,
      int pack,
      int readers,
      Reading reading)
      throws Exception {
    read(ledger, size, pack, readers, warmUpSeconds, reading);
    List<BenchCase.Run> runs = new ArrayList<>();
    for (int i = 0; i < repetitions; i++) {
      CpuTime before = CpuTime.now(service.pid());
      long started = System.nanoTime();
      long count = read(ledger, size, pack, readers, seconds, reading);
      double perSecond = count / ((System.nanoTime() - started) / 1e9);
      CpuTime.Cost cost = before.per(count, CpuTime.now(service.pid()));
      runs.add(new BenchCase.Run(perSecond, WANTED_PER_SECOND, cost));
      say.say(
          String.format(
              Locale.ROOT,
              "  %s: %,.0f journals/s; processor time per journal: client %.1f, service %.1f us",
              name,
              perSecond,
              cost.clientMicros(),
              cost.serviceMicros()));
    }
    return BenchCase.throughput(name, runs);
  }

  /// @return journals that were verified
  private static long read(
      LedgerHandle ledger, long size, int pack, int readers, double duration, Reading reading)
      throws Exception {
    long deadline = System.nanoTime() + (long) (duration * 1e9);
    AtomicLong verified = new AtomicLong();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < readers; i++) {
      SplittableRandom random = new SplittableRandom(System.nanoTime());
      threads.add(
          Thread.ofPlatform()
              .name("read-" + i)
              .start(() -> {
                try {
                  while (System.nanoTime() < deadline && failure.get() == null) {
                    reading.read(ledger, jsns(random, size, pack));
                    verified.addAndGet(pack);
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Throwable cause = failure.get();
    if (cause != null) {
      throw cause instanceof Exception e ? e : new IllegalStateException(cause);
    }
    return verified.get();
  }

  private static List<Jsn> jsns(SplittableRandom random, long size, int count) {
    List<Jsn> jsns = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      jsns.add(new Jsn(random.nextLong(size)));
    }
    return jsns;
  }
}
