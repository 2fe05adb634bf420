package io.tallystick.bench.service;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.lineage.ClueLineage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// What do clues cost where they are used: how many journals per second with one clue each, beside
/// as many without; and how long does a complete lineage take, built by the service, sent over
/// loopback and verified by the client?
public final class ClueServiceBench {
  public static final String APPEND = "append";
  public static final String LINEAGE = "lineage";
  public static final List<String> CASES = List.of(APPEND, LINEAGE);

  private static final int DISTINCT_CLUES = 100_000;

  /// Enough for frames of 4 MiB, the largest there are, one behind the other.
  private static final int IN_FLIGHT = 10;

  private static final int LINEAGE_JOURNALS = 10_000;
  private static final int LINEAGE_LIMIT_MS = 100;

  /// A clue's journals lie apart: one in every so many.
  private static final int LINEAGE_EVERY = 10;

  private static final int LINEAGE_WARM_UPS = 100;

  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final Narrator say;
  private final AtomicLong seeds = new AtomicLong(7);

  /// @param home an empty folder for the service's data
  public ClueServiceBench(
      Path home, double seconds, double warmUpSeconds, int repetitions, Narrator say) {
    this.home = home;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.say = say;
  }

  /// @param name one of {@link #CASES}
  public List<BenchCase> measure(String name) throws Exception {
    say.say("measuring " + name + " ...");
    try (ServiceProcess service =
            ServiceProcess.start(home.resolve(name), home.resolve(name + ".log"));
        TallyClient client =
            TallyClient.connect(ClientConfig.of(service.target(), home.resolve(name + ".trust")))) {
      LedgerHandle ledger =
          client.createLedger("clues", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      return switch (name) {
        case APPEND -> append(ledger);
        case LINEAGE -> lineage(ledger);
        default -> throw new IllegalArgumentException("no case " + name);
      };
    }
  }

  private List<BenchCase> append(LedgerHandle ledger) throws Exception {
    throughput(ledger, false, warmUpSeconds);
    throughput(ledger, true, warmUpSeconds); // most clues are known from then on
    double[] with = new double[repetitions];
    double[] without = new double[repetitions];
    double[] ratios = new double[repetitions];
    for (int i = 0; i < repetitions; i++) {
      without[i] = throughput(ledger, false, seconds);
      with[i] = throughput(ledger, true, seconds);
      ratios[i] = with[i] / without[i];
      say.say(
          String.format(
              Locale.ROOT, "  %,.0f journals/s without clues, %,.0f with", without[i], with[i]));
    }
    return List.of(
        BenchCase.spread("append-without-clues", BenchCase.JOURNALS_PER_SECOND, without),
        BenchCase.spread("append-one-clue-each", BenchCase.JOURNALS_PER_SECOND, with),
        BenchCase.spread("append-ratio", "x", ratios));
  }

  /// Journals per second over a time, all receipts verified.
  private double throughput(LedgerHandle ledger, boolean clued, double forSeconds)
      throws Exception {
    BatchLoad load = new BatchLoad(ledger, () -> batches(clued), IN_FLIGHT);
    long started = System.nanoTime();
    Thread.sleep((long) (forSeconds * 250)); // until the pipe is full
    long before = load.acknowledged();
    long from = System.nanoTime();
    Thread.sleep((long) (forSeconds * 1000));
    long after = load.acknowledged();
    double rate = (after - before) * 1e9 / (System.nanoTime() - from);
    load.stop();
    if (after == before) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT, "nothing acknowledged in %.0f s", (System.nanoTime() - started) / 1e9));
    }
    return rate;
  }

  /// Batches for one sender.
  private Supplier<List<JournalDraft>> batches(boolean clued) {
    Payloads payloads = new Payloads(System.nanoTime());
    SplittableRandom random = new SplittableRandom(seeds.incrementAndGet());
    return () -> {
      List<JournalDraft> drafts = payloads.drafts(BatchLoad.PAYLOAD_BYTES, BatchLoad.BATCH);
      if (clued) {
        drafts.replaceAll(draft -> draft.withClues(List.of("c" + random.nextInt(DISTINCT_CLUES))));
      }
      return drafts;
    };
  }

  private List<BenchCase> lineage(LedgerHandle ledger) throws Exception {
    Payloads payloads = new Payloads(1);
    for (int batch = 0; batch < LINEAGE_JOURNALS * LINEAGE_EVERY / BatchLoad.BATCH; batch++) {
      List<JournalDraft> drafts =
          new ArrayList<>(payloads.drafts(BatchLoad.PAYLOAD_BYTES, BatchLoad.BATCH));
      for (int i = 0; i < drafts.size(); i++) {
        String clue = i % LINEAGE_EVERY == 0 ? "followed" : "other " + batch % 1000;
        drafts.set(i, drafts.get(i).withClues(List.of(clue)));
      }
      ledger.appendBatch(drafts);
    }
    for (int i = 0; i < LINEAGE_WARM_UPS; i++) {
      millis(ledger);
    }
    double[] millis = new double[Math.max(repetitions, 5)];
    for (int i = 0; i < millis.length; i++) {
      millis[i] = millis(ledger);
    }
    return List.of(
        BenchCase.spread("lineage-10000", "ms", millis),
        BenchCase.beside(
            "lineage-10000-of-limit", BenchCase.median(millis), "ms", LINEAGE_LIMIT_MS));
  }

  private static double millis(LedgerHandle ledger) throws Exception {
    long started = System.nanoTime();
    ClueLineage lineage = ledger.lineage("followed");
    double millis = (System.nanoTime() - started) / 1e6;
    if (lineage.entries().size() != LINEAGE_JOURNALS) {
      throw new AssertionError(lineage.entries().size() + " journals");
    }
    return millis;
  }
}
