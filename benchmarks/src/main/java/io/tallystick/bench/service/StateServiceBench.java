package io.tallystick.bench.service;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
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
import io.tallystick.client.ServiceChannel;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// What does a put cost where it is used: how many journals per second with one put each does a
/// service take, and an auditor check, beside as many without? By turns, on two ledgers of one
/// service, with one client for both. Every receipt is verified.
public final class StateServiceBench {
  public static final String SERVICE = "service";
  private static final double SERVICE_WANTED = 0.35;
  private static final double AUDIT_WANTED = 0.3;
  private static final int AUDITED_PER_SECOND = 50_000;

  private final Signer signer = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
  private final ClientKey owner = ClientKey.of(signer);
  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final Narrator say;

  /// @param home an empty folder for the service's data
  /// @param seconds of each measurement; an audit has 50,000 journals for each of them
  public StateServiceBench(
      Path home, double seconds, double warmUpSeconds, int repetitions, Narrator say) {
    this.home = home;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.say = say;
  }

  public List<BenchCase> measure() throws Exception {
    double[] without = new double[repetitions];
    double[] with = new double[repetitions];
    Path plainLog = home.resolve("plain.tlog");
    Path stateLog = home.resolve("state.tlog");
    StateClient.Founded plain;
    StateClient.Founded state;
    try (ServiceProcess service =
            ServiceProcess.start(home.resolve(SERVICE), home.resolve("service.log"));
        StateClient client = new StateClient(service.target(), owner, signer)) {
      StateClient.Founded loadedPlain = client.found("without", false);
      StateClient.Founded loadedState = client.found("with", true);
      var _ = client.throughput(loadedPlain, false, warmUpSeconds);
      var _ = client.throughput(loadedState, true, warmUpSeconds);
      for (int i = 0; i < repetitions; i++) {
        without[i] = client.throughput(loadedPlain, false, seconds).perSecond();
        with[i] = client.throughput(loadedState, true, seconds).perSecond();
        say.say(
            String.format(
                Locale.ROOT, "  %,.0f journals/s without puts, %,.0f with", without[i], with[i]));
      }
      plain = client.found("audited without", false);
      state = client.found("audited with", true);
      save(service, client, plain, false, plainLog);
      save(service, client, state, true, stateLog);
    }
    double[] auditWithout = new double[repetitions];
    double[] auditWith = new double[repetitions];
    audit(plain, plainLog);
    audit(state, stateLog);
    for (int i = 0; i < repetitions; i++) {
      auditWithout[i] = audit(plain, plainLog);
      auditWith[i] = audit(state, stateLog);
      say.say(
          String.format(
              Locale.ROOT,
              "  %,.0f journals/s audited without puts, %,.0f with",
              auditWithout[i],
              auditWith[i]));
    }
    return List.of(
        BenchCase.spread("service-without", BenchCase.JOURNALS_PER_SECOND, without),
        BenchCase.spread("service-with-put", BenchCase.JOURNALS_PER_SECOND, with),
        BenchCase.beside("service-ratio", BenchCase.ratios(with, without), "x", SERVICE_WANTED),
        BenchCase.spread("service-audit-without", BenchCase.JOURNALS_PER_SECOND, auditWithout),
        BenchCase.spread("service-audit-with-put", BenchCase.JOURNALS_PER_SECOND, auditWith),
        BenchCase.beside(
            "service-audit-ratio", BenchCase.ratios(auditWith, auditWithout), "x", AUDIT_WANTED));
  }

  private void save(
      ServiceProcess service,
      StateClient client,
      StateClient.Founded ledger,
      boolean puts,
      Path file)
      throws Exception {
    StateServiceLoad load = client.load(ledger, puts);
    load.awaitAcknowledged((long) (seconds * AUDITED_PER_SECOND));
    load.stop();
    ClientConfig config =
        ClientConfig.of(service.target(), home.resolve("audit.trust")).withReader(owner);
    ManagedChannel channel = ServiceChannel.reading(config, ledger.strand().ledger());
    try {
      long entries = LogCopy.save(new RemoteLogSource(channel, ledger.strand()), file);
      say.say(String.format(Locale.ROOT, "  saved %,d entries", entries));
    } finally {
      channel.shutdownNow();
    }
  }

  private static double audit(StateClient.Founded ledger, Path file) throws Exception {
    long started = System.nanoTime();
    AuditReport report =
        new Auditor(SignatureProviders.best())
            .audit(ledger.strand().ledger(), new LogCopySource(file), AuditOptions.defaults());
    double elapsed = (System.nanoTime() - started) / 1e9;
    if (report.firstFault().isPresent()) {
      throw new IllegalStateException(AuditText.of(report));
    }
    return report.counts().journals() / elapsed;
  }
}
