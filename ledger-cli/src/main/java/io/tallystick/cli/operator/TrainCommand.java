package io.tallystick.cli.operator;

import io.grpc.ManagedChannel;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.StrandId;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A short, real run of service and client from which the JVM learns: what is loaded, and which
/// code is hot. Run by the `tally` script after a build; the caches are read by every later start.
/// The service is killed once first, so that recovery is learnt as well.
@Command(
    name = "train",
    mixinStandardHelpOptions = true,
    hidden = true,
    description = "Make the ahead-of-time cache of the service, for the tally script.")
public final class TrainCommand implements Callable<Integer> {
  private static final int PAYLOAD_BYTES = 256;
  private static final int BATCH = 1000;
  private static final int BATCHES_IN_FLIGHT = 8;
  private static final int SINGLES_IN_FLIGHT = 1000;
  private static final int READS = 200;

  @Parameters(paramLabel = "DIR", description = "The folder that receives service.aot")
  private Path folder = Path.of("");

  @Option(names = "--seconds", defaultValue = "4", description = "How long each kind of load runs")
  private double seconds;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final SplittableRandom random = new SplittableRandom(1);

  @Override
  public Integer call() throws Exception {
    try (TemporaryFolder home = TemporaryFolder.create("tally-train-")) {
      Path data = home.path().resolve("data");
      Path log = folder.resolve("train.log");
      ClientKey owner = ClientKey.generate();
      say("learning, 1 of 4: a service that will be killed");
      ServiceProcess untrained = ServiceProcess.start(data, log);
      LedgerHandle founded;
      try (TallyClient client = client(untrained, home)) {
        founded = client.createLedger("training", List.of(owner), LedgerOptions.DEFAULT);
        append(founded, BATCH, BATCHES_IN_FLIGHT, 1);
      } finally {
        untrained.kill();
      }
      say(
          String.format(
              Locale.ROOT, "learning, 2 of 4: recovery, then appends for %.0f s", 2 * seconds));
      try (ServiceProcess service =
              ServiceProcess.startTraining(
                  data, log, folder.resolve(ServiceProcess.SERVICE_CACHE));
          TallyClient client = client(service, home)) {
        LedgerHandle ledger = client.open(founded.id(), owner);
        append(ledger, 1, SINGLES_IN_FLIGHT, seconds);
        append(ledger, BATCH, BATCHES_IN_FLIGHT, seconds);
        say("learning, 3 of 4: reads, an audit; then the service writes down what it learnt");
        read(ledger);
        audit(config(service, home).withReader(owner), ledger);
      }
    }
    say("learning, 4 of 4: the client writes down what it learnt");
    return ExitCode.OK;
  }

  /// For the script, which passes such lines on.
  private void say(String step) {
    Output.out(spec.commandLine()).println("tally: " + step);
  }

  private static TallyClient client(ServiceProcess service, TemporaryFolder home) {
    return TallyClient.connect(config(service, home));
  }

  private static ClientConfig config(ServiceProcess service, TemporaryFolder home) {
    return ClientConfig.of(service.target(), home.path().resolve("trust"));
  }

  private void append(LedgerHandle ledger, int batch, int inFlight, double duration)
      throws Exception {
    long deadline = System.nanoTime() + (long) (duration * 1e9);
    Deque<CompletableFuture<?>> sent = new ArrayDeque<>();
    while (System.nanoTime() < deadline) {
      sent.add(batch == 1 ? ledger.appendAsync(draft()) : ledger.appendBatchAsync(drafts(batch)));
      if (sent.size() == inFlight) {
        sent.remove().get(ServiceProcess.STOP_SECONDS_MAX, TimeUnit.SECONDS);
      }
    }
    for (CompletableFuture<?> waiting : sent) {
      waiting.get(ServiceProcess.STOP_SECONDS_MAX, TimeUnit.SECONDS);
    }
  }

  private List<JournalDraft> drafts(int count) {
    List<JournalDraft> drafts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      drafts.add(draft());
    }
    return drafts;
  }

  private JournalDraft draft() {
    byte[] payload = new byte[PAYLOAD_BYTES];
    random.nextBytes(payload);
    return JournalDraft.of(Bytes.wrap(payload), "application/octet-stream");
  }

  private void read(LedgerHandle ledger) throws Exception {
    VerifiedReceipt receipt = ledger.append(draft());
    ledger.verify(receipt.toFile());
    for (int i = 0; i < READS; i++) {
      ledger.get(new Jsn(random.nextLong(receipt.jsn().value())));
    }
    ledger.list(new Jsn(0), LedgerHandle.LIST_LIMIT_MAX);
    ledger.newestBlock();
    ledger.members();
  }

  private static void audit(ClientConfig config, LedgerHandle ledger) throws Exception {
    ManagedChannel channel = ServiceChannel.reading(config, ledger.id());
    try {
      new Auditor(SignatureProviders.best())
          .audit(
              ledger.id(),
              new RemoteLogSource(channel, new StrandId(ledger.id(), 0)),
              AuditOptions.defaults());
    } finally {
      channel.shutdownNow();
    }
  }
}
