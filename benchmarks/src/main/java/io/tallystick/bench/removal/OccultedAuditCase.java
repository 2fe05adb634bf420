package io.tallystick.bench.removal;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedBatch;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// What do occults cost an auditor? One log, saved before and after one journal in a hundred was
/// occulted, each copy audited by turns in this process.
final class OccultedAuditCase implements MeasuredCase {
  private static final double WANTED = 0.9;
  private static final int JOURNALS_PER_SECOND = 20_000;
  private static final int BATCH = 1_000;
  private static final int OCCULTED_ONE_OF = 100;
  private static final int PAYLOAD_BYTES = 256;
  private static final String CLUE = "occulted";

  private final SplittableRandom random = new SplittableRandom(1);

  private record Saved(LedgerId ledger, Path file) {}

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    List<Saved> logs = make(run);
    double _ = audit(logs.get(0));
    double _ = audit(logs.get(1));
    double[] without = new double[run.repetitions()];
    double[] with = new double[run.repetitions()];
    double[] ratios = new double[run.repetitions()];
    for (int i = 0; i < run.repetitions(); i++) {
      without[i] = audit(logs.get(0));
      with[i] = audit(logs.get(1));
      ratios[i] = with[i] / without[i];
      run.say(
          String.format(
              Locale.ROOT,
              "  %,.0f journals/s audited without occults, %,.0f with",
              without[i],
              with[i]));
    }
    return List.of(
        BenchCase.spread("audit-without", BenchCase.JOURNALS_PER_SECOND, without),
        BenchCase.spread("audit-occulted", BenchCase.JOURNALS_PER_SECOND, with),
        BenchCase.beside("audit-ratio", ratios, "x", WANTED));
  }

  private static double audit(Saved log) throws Exception {
    long from = System.nanoTime();
    AuditReport report =
        new Auditor(SignatureProviders.best())
            .audit(log.ledger, new LogCopySource(log.file), AuditOptions.defaults());
    double rate = report.counts().journals() * 1e9 / (System.nanoTime() - from);
    if (report.firstFault().isPresent()) {
      throw new IllegalStateException(AuditText.of(report));
    }
    return rate;
  }

  /// The log before and after the occult.
  private List<Saved> make(Run run) throws Exception {
    ClientKey owner = ClientKey.generate();
    ClientKey regulator = ClientKey.generate();
    try (ServiceProcess service =
        ServiceProcess.start(run.home().resolve("data"), run.home().resolve("service.log"))) {
      ClientConfig config =
          ClientConfig.of(service.target(), run.home().resolve("trust")).withReader(owner);
      try (TallyClient client = TallyClient.connect(config)) {
        LedgerHandle owned = client.createLedger("bench", List.of(owner), LedgerOptions.DEFAULT);
        var _ = owned.addMember(Role.REGULATOR, regulator.publicKey());
        Jsn last = new Jsn(0);
        for (int done = 0; done < run.count(JOURNALS_PER_SECOND); done += BATCH) {
          VerifiedBatch batch = owned.appendBatch(drafts());
          last = batch.lastJsn();
        }
        Saved without = save(run, config, owned.id(), "without.tlog");
        LedgerHandle both = client.open(owned.id(), owner, regulator);
        var _ = both.occult(both.removals().naming(CLUE, new Jsn(1), last), "measured");
        while (both.erasure(last).orElseThrow().doneMs().isEmpty()) {
          Thread.sleep(20);
        }
        return List.of(without, save(run, config, owned.id(), "occulted.tlog"));
      }
    }
  }

  /// A batch of which every hundredth journal, the last one too, names the clue.
  private List<JournalDraft> drafts() {
    List<JournalDraft> drafts = new ArrayList<>(BATCH);
    for (int i = 1; i <= BATCH; i++) {
      byte[] payload = new byte[PAYLOAD_BYTES];
      random.nextBytes(payload);
      JournalDraft draft = JournalDraft.of(Bytes.wrap(payload), "application/octet-stream");
      drafts.add(i % OCCULTED_ONE_OF == 0 ? draft.withClues(List.of(CLUE)) : draft);
    }
    return drafts;
  }

  private static Saved save(Run run, ClientConfig config, LedgerId ledger, String name)
      throws Exception {
    Path file = run.home().resolve(name);
    ManagedChannel channel = ServiceChannel.reading(config, ledger);
    try {
      long entries = LogCopy.save(new RemoteLogSource(channel, new StrandId(ledger, 0)), file);
      run.say(String.format(Locale.ROOT, "  saved %,d entries", entries));
    } finally {
      channel.shutdownNow();
    }
    return new Saved(ledger, file);
  }
}
