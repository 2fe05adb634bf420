package io.tallystick.bench.service;

import static io.tallystick.bench.figure.ProcessMemory.megabytes;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.CpuTime;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.bench.figure.ProcessMemory;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/// How long after `kill -9` under load, with a cold page cache, does the service acknowledge the
/// next append, how much memory does it take, and does everything promised still hold? The load
/// goes on meanwhile: what was in flight is sent again by the SDK.
final class RestartBench {
  private static final double SECONDS_MAX = 5;
  private static final double MEGABYTES_MAX = 700;
  private static final long GO_ON_JOURNALS_MAX = 100_000;
  private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");
  private static final RetryPolicy PATIENT =
      new RetryPolicy(Duration.ofMillis(20), Duration.ofMillis(100), Duration.ofSeconds(50));

  private final Path home;
  private final long journals;
  private final boolean coldCache;
  private final Narrator say;

  /// @param coldCache whether the machine's page cache is dropped, which slows others down too
  RestartBench(Path home, long journals, boolean coldCache, Narrator say) {
    this.home = home;
    this.journals = journals;
    this.coldCache = coldCache;
    this.say = say;
  }

  /// What the restarted service did, in seconds since its process was started.
  ///
  /// @param processor seconds of processor time until the first append was acknowledged
  private record Served(
      double listening, double append, double read, double processor, ProcessMemory memory) {}

  List<BenchCase> run() throws Exception {
    ServiceProcess service = start(0);
    int port = service.port();
    ClientKey owner = ClientKey.generate();
    try (TallyClient client = client(service, "load.trust", PATIENT)) {
      LedgerHandle ledger = client.createLedger("bench", List.of(owner), LedgerOptions.DEFAULT);
      BatchLoad load = new BatchLoad(ledger);
      load.awaitAcknowledged(
          journals, count -> say.say(String.format(Locale.ROOT, "  %,d journals", count)));
      say.say("  before: " + text(ProcessMemory.of(service.pid())) + "; kill -9 under load");
      service.kill();
      if (coldCache) {
        say.say(dropPageCache());
      }
      long started = System.nanoTime();
      service = start(port);
      Served served = probe(service, ledger.id(), owner, started);
      load.awaitAcknowledged(load.acknowledged() + Math.min(journals, GO_ON_JOURNALS_MAX), _ -> {});
      ProcessMemory after = ProcessMemory.of(service.pid());
      List<BatchLoad.Held> held = load.stop();
      check(ledger, held, load.acknowledged() + 1);
      say.say(
          String.format(
              Locale.ROOT,
              "  %,d receipts held verify; %d batches sent again were known; none is in the log twice",
              held.size(),
              load.repeated()));
      return cases(served, after);
    } finally {
      service.close();
    }
  }

  private static List<BenchCase> cases(Served served, ProcessMemory after) {
    return List.of(
        BenchCase.beside("restart-append", served.append(), "s", SECONDS_MAX),
        BenchCase.beside("restart-read", served.read(), "s", SECONDS_MAX),
        BenchCase.beside("restart-listening", served.listening(), "s", SECONDS_MAX),
        BenchCase.figure("restart-processor", served.processor(), "s"),
        BenchCase.beside(
            "restart-memory", megabytes(served.memory().residentBytes()), "MB", MEGABYTES_MAX),
        BenchCase.beside(
            "restart-memory-under-load", megabytes(after.peakBytes()), "MB", MEGABYTES_MAX));
  }

  private ServiceProcess start(int port) throws IOException {
    return ServiceProcess.start(home.resolve("restart"), home.resolve("restart.log"), port);
  }

  private TallyClient client(ServiceProcess service, String trust, RetryPolicy retry) {
    return TallyClient.connect(
        ClientConfig.of(service.target(), home.resolve(trust)).withRetry(retry));
  }

  /// A client who comes as soon as the service listens.
  private Served probe(ServiceProcess service, LedgerId id, ClientKey owner, long started)
      throws Exception {
    double listening = secondsSince(started);
    try (TallyClient client = client(service, "probe.trust", RetryPolicy.DEFAULT)) {
      LedgerHandle ledger = client.open(id, owner);
      byte[] payload = new byte[BatchLoad.PAYLOAD_BYTES];
      VerifiedReceipt receipt =
          ledger.append(JournalDraft.of(Bytes.wrap(payload), "application/octet-stream"));
      double append = secondsSince(started);
      double processor = CpuTime.now(service.pid()).serviceNanos() / 1e9;
      ledger.get(new Jsn(receipt.jsn().value() / 2));
      return new Served(
          listening, append, secondsSince(started), processor, ProcessMemory.of(service.pid()));
    }
  }

  /// Every receipt of the sample verifies, and the log holds exactly what was acknowledged.
  private static void check(LedgerHandle ledger, List<BatchLoad.Held> held, long acknowledged)
      throws Exception {
    for (BatchLoad.Held receipt : held) {
      ledger.verify(receipt.file());
      ledger.get(receipt.jsn()); // checks leaf, header and body against the trusted head
    }
    VerifiedBlock newest = ledger.newestBlock();
    long genesisAndSeals = 1 + newest.height() + 1;
    long journals = newest.seal().jsn().value() + 1 - genesisAndSeals;
    if (journals != acknowledged) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "the log holds %d journals, acknowledged were %d",
              journals,
              acknowledged));
    }
  }

  private static String dropPageCache() throws InterruptedException {
    try {
      new ProcessBuilder("sync").start().waitFor(60, TimeUnit.SECONDS);
      Files.writeString(DROP_CACHES, "3");
      return "  page cache dropped";
    } catch (IOException e) {
      return "  page cache NOT dropped, this needs root: " + e.getMessage();
    }
  }

  private static String text(ProcessMemory memory) {
    return String.format(
        Locale.ROOT,
        "%.0f MB resident, %.0f MB at most",
        megabytes(memory.residentBytes()),
        megabytes(memory.peakBytes()));
  }

  private static double secondsSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e9;
  }
}
