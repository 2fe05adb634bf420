package io.tallystick.bench.service;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.AuditStatements;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedBatch;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.Anchor;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/// How long does an audit take that starts at 99 % of a log, as a part of one from genesis? Twice:
/// from the auditor's own statement, which is its trusted anchor and lets it skip what lies before;
/// and from an anchor that a member shares, by which it spares signatures and bodies only. A
/// service makes the log (256 B payloads, batches of 1,000 under one signature), which is saved as
/// `tally audit --save` does; neither is timed. The three are audited in turn, by this process, so
/// each ratio is one of neighbours.
public final class AnchorReplayBench {
  public static final String FROM_STATEMENT = "replay-from-statement";
  public static final String FROM_ANCHOR = "replay-from-anchor";

  /// Of the time from genesis.
  private static final double RATIO_MAX = 0.05;

  private static final int BATCH = 1000;
  private static final int PAYLOAD_BYTES = 256;
  private static final int STRAND = 0;
  private static final int IN_FLIGHT_MAX = 8;
  private static final double ANCHORED_PART = 0.99;

  private final ClientKey owner = ClientKey.generate();
  private final ClientKey auditor = ClientKey.generate();
  private final Path home;
  private final int journals;
  private final int repetitions;
  private final Narrator say;

  /// @param home an empty folder
  /// @param journals in the log, rounded up to whole batches; 1,000,000 for the figure
  public AnchorReplayBench(Path home, int journals, int repetitions, Narrator say) {
    this.home = home;
    this.journals = journals;
    this.repetitions = repetitions;
    this.say = say;
  }

  private record Saved(LedgerId ledger, Path part, Path whole) {}

  /// @return {@link #FROM_STATEMENT} and {@link #FROM_ANCHOR}: time from there ÷ time from genesis,
  ///   medians, at most 0.05
  public List<BenchCase> measure() throws Exception {
    Saved log = prepare();
    Path stated = home.resolve("stated");
    AuditReport part = audited(log.part, log.ledger, statements(stated));
    say.say(String.format(Locale.ROOT, "anchored at %s leaves", part.size()));
    Bytes anchor = new Anchor(part.strand(), part.size(), part.root()).sign(owner.signer());
    AuditOptions plain = AuditOptions.defaults();
    seconds(log, plain); // to warm up
    double[] fromStatement = new double[repetitions];
    double[] fromAnchor = new double[repetitions];
    for (int i = 0; i < repetitions; i++) {
      double genesis = seconds(log, plain);
      double statement = resumed(log, stated, home.resolve("resumed-" + i));
      double shared = seconds(log, plain.fromAnchor(anchor));
      fromStatement[i] = statement / genesis;
      fromAnchor[i] = shared / genesis;
      say.say(
          String.format(
              Locale.ROOT,
              "  from genesis %.3f s, from the statement %.3f s (%.3f), from a shared anchor %.3f s (%.3f)",
              genesis,
              statement,
              fromStatement[i],
              shared,
              fromAnchor[i]));
    }
    return List.of(
        BenchCase.beside(FROM_STATEMENT, fromStatement, "of the time from genesis", RATIO_MAX),
        BenchCase.beside(FROM_ANCHOR, fromAnchor, "of the time from genesis", RATIO_MAX));
  }

  private AuditStatements statements(Path folder) {
    return new AuditStatements(folder, auditor.signer(), AuditStatements.INTERVAL);
  }

  private static AuditReport audited(Path file, LedgerId ledger, AuditStatements statements)
      throws Exception {
    return right(
        new Auditor(SignatureProviders.best())
            .audit(
                new StrandId(ledger, STRAND),
                new LogCopySource(file),
                AuditOptions.defaults(),
                statements));
  }

  private static AuditReport right(AuditReport report) {
    if (report.firstFault().isPresent()) {
      throw new IllegalStateException(AuditText.of(report));
    }
    return report;
  }

  private static double seconds(Saved log, AuditOptions options) throws Exception {
    long started = System.nanoTime();
    AuditReport _ =
        right(
            new Auditor(SignatureProviders.best())
                .audit(log.ledger, new LogCopySource(log.whole), options));
    return (System.nanoTime() - started) / 1e9;
  }

  /// From a copy of the statement, since the audit replaces it.
  private double resumed(Saved log, Path stated, Path folder) throws Exception {
    copy(stated, folder);
    long started = System.nanoTime();
    AuditReport report = audited(log.whole, log.ledger, statements(folder));
    double elapsed = (System.nanoTime() - started) / 1e9;
    if (report.resumedFrom() == 0) {
      throw new IllegalStateException("the audit began at genesis");
    }
    return elapsed;
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  private Saved prepare() throws Exception {
    say.say(String.format(Locale.ROOT, "making a log of %,d journals ...", journals));
    Path part = home.resolve("part.tlog");
    Path whole = home.resolve("whole.tlog");
    try (ServiceProcess service =
            ServiceProcess.start(home.resolve("data"), home.resolve("service.log"));
        TallyClient client = TallyClient.connect(config(service))) {
      LedgerHandle ledger = client.createLedger("bench", List.of(owner), LedgerOptions.DEFAULT);
      Payloads payloads = new Payloads(1);
      int before = (int) (journals * ANCHORED_PART);
      append(ledger, payloads, before);
      save(service, ledger.id(), part);
      append(ledger, payloads, journals - before);
      save(service, ledger.id(), whole);
      return new Saved(ledger.id(), part, whole);
    }
  }

  private ClientConfig config(ServiceProcess service) {
    return ClientConfig.of(service.target(), home.resolve("trust")).withReader(owner);
  }

  private static void append(LedgerHandle ledger, Payloads payloads, int count) throws Exception {
    List<CompletableFuture<VerifiedBatch>> open = new ArrayList<>();
    for (int done = 0; done < count; done += BATCH) {
      open.add(ledger.appendBatchAsync(payloads.drafts(PAYLOAD_BYTES, BATCH)));
      if (open.size() > IN_FLIGHT_MAX) {
        VerifiedBatch _ = open.removeFirst().get();
      }
    }
    for (CompletableFuture<VerifiedBatch> each : open) {
      VerifiedBatch _ = each.get();
    }
  }

  private void save(ServiceProcess service, LedgerId ledger, Path file) throws Exception {
    ManagedChannel channel = ServiceChannel.reading(config(service), ledger);
    try {
      long entries = LogCopy.save(new RemoteLogSource(channel, new StrandId(ledger, STRAND)), file);
      say.say(String.format(Locale.ROOT, "saved %,d entries", entries));
    } finally {
      channel.shutdownNow();
    }
  }
}
