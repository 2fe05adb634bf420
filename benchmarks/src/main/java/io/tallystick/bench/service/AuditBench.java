package io.tallystick.bench.service;

import com.sun.management.ThreadMXBean;
import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.bench.figure.AuditLimit;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.TallyClient;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// How many journals per second does the external auditor check, from a saved log, with all
/// processors? The log is made by a service (256 B payloads, batches of 1,000 under one signature)
/// and saved as `tally audit --save` does; neither is timed. Each case audits it whole, in this
/// process and with its heap, once to warm up and then {@link #REPETITIONS_MIN} times or more.
final class AuditBench {
  static final int REPETITIONS_MIN = 5;

  private static final int BATCH = 1000;
  private static final int PAYLOAD_BYTES = 256;
  private static final int BATCHES_IN_FLIGHT = 8;
  private static final int STRAND = 0;
  private static final double LIMIT_SECONDS = 2;

  private final ClientKey owner = ClientKey.generate();
  private final Path home;
  private final int journals;
  private final int repetitions;
  private final Narrator say;
  private @Nullable Saved saved;

  private record Saved(LedgerId ledger, Path file) {}

  /// @param journals in the log, rounded up to whole batches
  AuditBench(Path home, int journals, int repetitions, Narrator say) {
    this.home = home;
    this.journals = journals;
    this.repetitions = Math.max(repetitions, REPETITIONS_MIN);
    this.say = say;
  }

  BenchCase measure(String name) throws Exception {
    Saved log = saved == null ? prepare() : saved;
    saved = log;
    boolean bodies = name.equals("audit");
    AuditOptions options = AuditOptions.defaults();
    options = bodies ? options : options.withoutBodies();
    say.say(String.format(Locale.ROOT, "  cold: %,.0f journals/s", audit(log, options).rate));
    List<BenchCase.AloneRun> runs = new ArrayList<>();
    for (int i = 0; i < repetitions; i++) {
      AuditLimit.Measured limit = AuditLimit.measure(log.file, LIMIT_SECONDS, bodies);
      Timed timed = audit(log, options);
      BenchCase.AloneRun run =
          new BenchCase.AloneRun(timed.rate, timed.processorMicros, timed.bytesPerJournal, limit);
      runs.add(run);
      say.say(
          String.format(
              Locale.ROOT,
              "  %,.0f journals/s, %.1f %% of %,.0f; processor time per journal: %.2f us, at the limit %.2f; %.0f B allocated",
              timed.rate,
              100 * run.ratio(),
              limit.journalsPerSecond(),
              timed.processorMicros,
              limit.processorMicros(),
              timed.bytesPerJournal));
    }
    return BenchCase.alone(name, runs);
  }

  private record Timed(double rate, double processorMicros, double bytesPerJournal) {}

  private static Timed audit(Saved log, AuditOptions options) throws Exception {
    long allocated = allocatedBytes();
    long processor = ThisMachine.processorNanos();
    long started = System.nanoTime();
    AuditReport report =
        new Auditor(SignatureProviders.best())
            .audit(log.ledger, new LogCopySource(log.file), options);
    double elapsed = (System.nanoTime() - started) / 1e9;
    if (report.firstFault().isPresent()) {
      throw new IllegalStateException(AuditText.of(report));
    }
    long count = report.counts().journals();
    return new Timed(
        count / elapsed,
        (ThisMachine.processorNanos() - processor) / 1e3 / count,
        (double) (allocatedBytes() - allocated) / count);
  }

  /// Of all threads there ever were.
  private static long allocatedBytes() {
    return ManagementFactory.getPlatformMXBean(ThreadMXBean.class).getTotalThreadAllocatedBytes();
  }

  private ClientConfig config(ServiceProcess service) {
    return ClientConfig.of(service.target(), home.resolve("audit.trust")).withReader(owner);
  }

  private Saved prepare() throws Exception {
    say.say(String.format(Locale.ROOT, "making a log of %,d journals ...", journals));
    Path file = home.resolve("audit.tlog");
    try (ServiceProcess service =
            ServiceProcess.start(home.resolve("audit"), home.resolve("audit.log"));
        TallyClient client = TallyClient.connect(config(service))) {
      LedgerHandle ledger = client.createLedger("bench", List.of(owner), LedgerOptions.DEFAULT);
      append(ledger);
      ManagedChannel channel = ServiceChannel.reading(config(service), ledger.id());
      try {
        StrandId strand = new StrandId(ledger.id(), STRAND);
        long entries = LogCopy.save(new RemoteLogSource(channel, strand), file);
        say.say(String.format(Locale.ROOT, "saved %,d entries", entries));
      } finally {
        channel.shutdownNow();
      }
      return new Saved(ledger.id(), file);
    }
  }

  private void append(LedgerHandle ledger) throws Exception {
    Semaphore permits = new Semaphore(BATCHES_IN_FLIGHT);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Payloads payloads = new Payloads(1);
    for (int done = 0; done < journals && failure.get() == null; done += BATCH) {
      permits.acquire();
      var _ =
          ledger
              .appendBatchAsync(payloads.drafts(PAYLOAD_BYTES, BATCH))
              .whenComplete((_, e) -> {
                permits.release();
                if (e != null) {
                  failure.compareAndSet(null, e);
                }
              });
    }
    permits.acquire(BATCHES_IN_FLIGHT);
    Throwable cause = failure.get();
    if (cause != null) {
      throw new IllegalStateException("the log could not be made", cause);
    }
  }
}
