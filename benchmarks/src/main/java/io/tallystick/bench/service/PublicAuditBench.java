package io.tallystick.bench.service;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.HttpTiles;
import io.tallystick.audit.source.TileLogSource;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.CpuTime;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.crypto.provider.SignatureProviders;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// How many journals per second does a stranger audit over the public path, bodies included, while
/// service and auditor share the machine? The log is batch-signed by 1,000, 256 B each.
final class PublicAuditBench {
  static final String CASE = "audit-http";

  private static final double WANTED_PER_SECOND = 400_000;

  private final Path home;
  private final long journals;
  private final double warmUpSeconds;
  private final int repetitions;
  private final Narrator say;

  /// @param journals in the log, at least
  PublicAuditBench(Path home, long journals, double warmUpSeconds, int repetitions, Narrator say) {
    this.home = home;
    this.journals = journals;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.say = say;
  }

  List<BenchCase> run() throws Exception {
    try (ServiceProcess service =
            ServiceProcess.start(home.resolve(CASE), home.resolve(CASE + ".log"));
        TallyClient client =
            TallyClient.connect(ClientConfig.of(service.target(), home.resolve(CASE + ".trust")))) {
      LedgerHandle ledger =
          client.createLedger(
              "bench",
              List.of(ClientKey.generate()),
              new LedgerOptions(true, LedgerOptions.DEFAULT.requestWindow()));
      BatchLoad load = new BatchLoad(ledger);
      load.awaitAcknowledged(
          journals, done -> say.say(String.format(Locale.ROOT, "  made %,d journals", done)));
      load.stop();
      URI prefix = URI.create(service.httpTarget() + "/l/" + ledger.id().hex() + "/0");
      List<BenchCase> cases = new ArrayList<>();
      for (boolean bodies : new boolean[] {true, false}) {
        warmUp(service, ledger, prefix, bodies);
        List<BenchCase.Run> runs = new ArrayList<>();
        for (int i = 0; i < repetitions; i++) {
          runs.add(audit(service, ledger, prefix, bodies));
        }
        cases.add(BenchCase.throughput(bodies ? CASE : CASE + "-no-bodies", runs));
      }
      return cases;
    }
  }

  /// Once at least.
  private void warmUp(ServiceProcess service, LedgerHandle ledger, URI prefix, boolean bodies)
      throws Exception {
    long end = System.nanoTime() + (long) (warmUpSeconds * 1e9);
    do {
      audit(service, ledger, prefix, bodies);
    } while (System.nanoTime() < end);
    say.say("  warm");
  }

  private BenchCase.Run audit(
      ServiceProcess service, LedgerHandle ledger, URI prefix, boolean bodies) throws Exception {
    AuditOptions options =
        bodies ? AuditOptions.defaults() : AuditOptions.defaults().withoutBodies();
    CpuTime before = CpuTime.now(service.pid());
    long started = System.nanoTime();
    AuditReport report;
    try (HttpTiles files = new HttpTiles(prefix)) {
      report =
          new Auditor(SignatureProviders.best())
              .audit(ledger.id(), new TileLogSource(files, bodies), options);
    }
    double elapsed = (System.nanoTime() - started) / 1e9;
    if (report.firstFault().isPresent()) {
      throw new IllegalStateException(AuditText.of(report));
    }
    long count = report.counts().journals();
    CpuTime.Cost cost = before.per(count, CpuTime.now(service.pid()));
    say.say(
        String.format(
            Locale.ROOT,
            "  %,.0f journals/s; processor time per journal: auditor %.2f, service %.2f us",
            count / elapsed,
            cost.clientMicros(),
            cost.serviceMicros()));
    return new BenchCase.Run(count / elapsed, WANTED_PER_SECOND, cost);
  }
}
