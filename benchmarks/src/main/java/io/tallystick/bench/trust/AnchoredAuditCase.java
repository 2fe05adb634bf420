package io.tallystick.bench.trust;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.TimeOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.bench.service.StateClient;
import io.tallystick.bench.service.StateServiceLoad;
import io.tallystick.cli.Tally;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.TallyClient;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Extension;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// What do windows and grants cost an auditor? Two saved logs of as many journals in the same
/// batches: one by a service that journals tokens as it does by default, with {@link #GRANTS}
/// grants that expire and signed by a granted key, audited with the authority's certificates; one
/// without all that.
final class AnchoredAuditCase implements MeasuredCase {
  private static final double WANTED = 0.9;
  private static final int JOURNALS_PER_SECOND = 50_000;
  private static final int GRANTS = 100;
  private static final Duration HOLDS = Duration.ofDays(1);

  private final Signatures signatures = SignatureProviders.best();
  private final Signer ownerSigner = signatures.generate(SignatureAlgorithm.ED25519);
  private final ClientKey owner = ClientKey.of(ownerSigner);

  private record Saved(LedgerId ledger, Path file, AuditOptions options) {}

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    try (LocalAuthority authority = new LocalAuthority(run.home())) {
      Saved without = make(run, "without", Optional.empty());
      Saved with = make(run, "with", Optional.of(authority));
      audit(without);
      AuditReport report = audit(with);
      run.say(
          String.format(
              Locale.ROOT,
              "  %d tokens, a largest window of %d ms, %d members",
              report.time().judged(),
              report.time().largestMs(),
              report.people().members().size()));
      if (!report.time().anchored()) {
        throw new IllegalStateException("no token stands in the log");
      }
      return measure(run, without, with);
    }
  }

  private List<BenchCase> measure(Run run, Saved without, Saved with) throws Exception {
    List<Speed> plain = new ArrayList<>();
    List<Speed> anchored = new ArrayList<>();
    for (int i = 0; i < run.repetitions(); i++) {
      plain.add(speed(without));
      anchored.add(speed(with));
      run.say(
          String.format(
              Locale.ROOT,
              "  %,.0f journals/s audited without windows and grants, %,.0f with; processor time %.2f and %.2f us",
              plain.getLast().perSecond(),
              anchored.getLast().perSecond(),
              plain.getLast().micros(),
              anchored.getLast().micros()));
    }
    List<BenchCase> measured =
        new ArrayList<>(
            List.of(
                BenchCase.spread(
                    "audit-without", BenchCase.JOURNALS_PER_SECOND, Speed.rates(plain)),
                BenchCase.spread(
                    "audit-with-windows", BenchCase.JOURNALS_PER_SECOND, Speed.rates(anchored))));
    measured.addAll(Speed.beside("audit", anchored, plain, WANTED));
    return measured;
  }

  private Speed speed(Saved log) throws Exception {
    long processor = ThisMachine.processorNanos();
    long started = System.nanoTime();
    AuditReport report = audit(log);
    return Speed.of(report.counts().journals(), started, processor);
  }

  private AuditReport audit(Saved log) throws Exception {
    AuditReport report =
        new Auditor(signatures).audit(log.ledger, new LogCopySource(log.file), log.options);
    if (report.firstFault().isPresent()) {
      throw new IllegalStateException(AuditText.of(report));
    }
    return report;
  }

  private Saved make(Run run, String name, Optional<LocalAuthority> authority) throws Exception {
    List<String> options = authority.map(LocalAuthority::options).orElse(List.of());
    Path log = run.home().resolve(name + ".log");
    try (ServiceProcess service =
            ServiceProcess.start(run.home().resolve(name), log, 0, Tally.class, options);
        StateClient founder = new StateClient(service.target(), owner, ownerSigner)) {
      StateClient.Founded ledger = founder.found(name, false);
      ClientConfig config =
          ClientConfig.of(service.target(), run.home().resolve(name + ".trust")).withReader(owner);
      Signer signer = authority.isEmpty() ? ownerSigner : granted(config, ledger);
      try (StateClient client = new StateClient(service.target(), owner, signer)) {
        StateServiceLoad load = client.load(ledger, false);
        load.awaitAcknowledged((long) (run.seconds() * JOURNALS_PER_SECOND));
        load.stop();
      }
      Path file = run.home().resolve(name + ".tlog");
      ManagedChannel channel = ServiceChannel.reading(config, ledger.strand().ledger());
      try {
        long entries = LogCopy.save(new RemoteLogSource(channel, ledger.strand()), file);
        run.say(String.format(Locale.ROOT, "  saved %,d entries %s", entries, name));
      } finally {
        channel.shutdownNow();
      }
      AuditOptions judged =
          authority
              .map(each -> AuditOptions.defaults().withTime(TimeOptions.by(each.tokens())))
              .orElse(AuditOptions.defaults());
      return new Saved(ledger.strand().ledger(), file, judged);
    }
  }

  /// @return one of the keys that were granted
  private Signer granted(ClientConfig config, StateClient.Founded ledger) throws Exception {
    Signer signer = signatures.generate(SignatureAlgorithm.ED25519);
    try (TallyClient client = TallyClient.connect(config)) {
      LedgerHandle handle = client.open(ledger.strand().ledger(), owner);
      handle.grant(grant(signer.publicKey()));
      for (int i = 1; i < GRANTS; i++) {
        handle.grant(grant(signatures.generate(SignatureAlgorithm.ED25519).publicKey()));
      }
    }
    return signer;
  }

  private static Extension.Grant grant(PublicKey key) {
    return new Extension.Grant(
        Role.NORMAL,
        key,
        OptionalLong.of(System.currentTimeMillis() + HOLDS.toMillis()),
        Optional.empty(),
        false,
        Optional.empty());
  }
}
