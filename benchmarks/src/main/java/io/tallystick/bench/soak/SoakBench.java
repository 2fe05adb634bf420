package io.tallystick.bench.soak;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.BenchReport;
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
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Does a service that many clients use for long, and that is killed once while its clients are
/// killed all the time, keep every journal that it acknowledged, once, and stay as large as it was?
public final class SoakBench {
  /// Clients of the SDK keep what they know of each ledger; one is used for so many.
  private static final int LEDGERS_PER_CLIENT = 100;

  private static final int TICK_MS = 100;
  private static final int CLEAN_ONE_IN = 3;
  private static final String COUNT = "journals";
  private static final String TIMES = "times";

  private final SoakHome home;
  private final SoakPlan plan;
  private final Narrator say;
  private final SplittableRandom random;
  private final ClientKey owner = ClientKey.generate();
  private final Footprint before = new Footprint("before-the-kill");
  private final Footprint after = new Footprint("after-the-kill");
  private final List<String> faults = new ArrayList<>();
  private int kills;
  private int restarts;

  /// @param faults what must not have happened and did, in words; empty if the soak passed
  public record Outcome(BenchReport report, List<String> faults) {}

  /// @param home an empty folder for the service's data and the clients' books
  public SoakBench(Path home, SoakPlan plan, Narrator say) {
    this.home = new SoakHome(home);
    this.plan = plan;
    this.say = say;
    this.random = new SplittableRandom(plan.seed());
  }

  /// @param root of the sources, for their commit
  public Outcome run(Path root) throws Exception {
    say.say(
        String.format(
            Locale.ROOT,
            "soak: %d ledgers, %d clients in %d processes, %s, seed %d",
            plan.ledgers(),
            plan.clients(),
            plan.processes(),
            plan.load(),
            plan.seed()));
    ServiceProcess service = ServiceProcess.start(home.data(), home.serviceLog());
    try {
      found(service);
      service = load(service);
      SoakCheck.Result result = check(service);
      faults.addAll(result.faults());
      if (result.faultCount() > result.faults().size()) {
        faults.add(
            String.format(
                Locale.ROOT, "and %d more", result.faultCount() - result.faults().size()));
      }
      List<BenchCase> cases = cases(result);
      return new Outcome(
          new BenchReport("soak", ThisMachine.describe(), ThisMachine.commit(root), cases),
          List.copyOf(faults));
    } finally {
      service.close();
    }
  }

  // ---- the ledgers

  private void found(ServiceProcess service) throws Exception {
    say.say(String.format(Locale.ROOT, "founding %d ledgers ...", plan.ledgers()));
    List<LedgerId> ledgers = new ArrayList<>();
    GenesisParams genesis = null;
    while (ledgers.size() < plan.ledgers()) {
      Path trust = home.trust("founder-" + ledgers.size());
      try (TallyClient client = TallyClient.connect(ClientConfig.of(service.target(), trust))) {
        int last = Math.min(plan.ledgers(), ledgers.size() + LEDGERS_PER_CLIENT);
        while (ledgers.size() < last) {
          LedgerHandle ledger =
              client.createLedger("soak " + ledgers.size(), List.of(owner), LedgerOptions.DEFAULT);
          genesis = sameKeys(genesis, ledger.trust().genesis());
          ledgers.add(ledger.id());
        }
      }
    }
    if (genesis == null) {
      throw new AssertionError("a plan has a ledger");
    }
    home.save(owner, ledgers, genesis);
  }

  private static GenesisParams sameKeys(@Nullable GenesisParams known, GenesisParams next)
      throws SoakFailure {
    if (known != null && !SoakHome.keysOf(known).equals(SoakHome.keysOf(next))) {
      throw new SoakFailure("ledger " + next.ledgerId() + " has service keys of its own");
    }
    return next;
  }

  // ---- the load

  /// @return the service as it runs at the end
  private ServiceProcess load(ServiceProcess first) throws Exception {
    ServiceProcess service = first;
    try (SoakClients clients = new SoakClients(home, plan, service)) {
      try {
        steps(service, clients, before, plan.load().toMillis() / 2);
        say.say("killing the service under load ...");
        service = killAndRestart(service);
        steps(service, clients, after, plan.load().toMillis() / 2);
        clients.stopAll();
      } catch (SoakFailure e) {
        faults.add(String.valueOf(e.getMessage()));
      }
      kills = clients.kills();
      restarts = clients.restarts();
      return service;
    }
  }

  private ServiceProcess killAndRestart(ServiceProcess service) throws Exception {
    String http = service.httpTarget();
    int httpPort = Integer.parseInt(http.substring(http.lastIndexOf(':') + 1));
    service.kill();
    return ServiceProcess.start(home.data(), home.serviceLog(), service.port(), httpPort);
  }

  /// Ends clients and takes samples, until the time is over.
  private void steps(
      ServiceProcess service, SoakClients clients, Footprint footprint, long durationMs)
      throws Exception {
    long started = System.nanoTime();
    long warmUpMs = Math.min(plan.warmUp().toMillis(), durationMs / 2);
    long sampleMs = Math.max(warmUpMs, plan.sampleEvery().toMillis());
    long endMs = pauseMs();
    int samples = 0;
    for (long nowMs = 0; nowMs < durationMs; nowMs = (System.nanoTime() - started) / 1_000_000) {
      if (!ProcessHandle.of(service.pid()).map(ProcessHandle::isAlive).orElse(false)) {
        throw new SoakFailure("the service ended by itself; its log is " + service.log());
      }
      clients.check();
      if (nowMs >= sampleMs) {
        sampleMs += plan.sampleEvery().toMillis();
        Footprint.Sample sample = Footprint.Sample.of(service.pid());
        footprint.add(sample);
        if (samples++ % 6 == 0) {
          say.say(String.format(Locale.ROOT, "  %4d s: %s", nowMs / 1000, sample.text()));
        }
      }
      if (nowMs >= endMs) {
        endMs += pauseMs();
        endOne(clients);
      }
      Thread.sleep(TICK_MS);
    }
  }

  private void endOne(SoakClients clients) throws Exception {
    int number = random.nextInt(plan.processes());
    if ((clients.kills() + clients.restarts()) % CLEAN_ONE_IN == 1) {
      clients.restart(number);
    } else {
      clients.kill(number);
    }
  }

  private long pauseMs() {
    return random.nextLong(plan.pauseMin().toMillis(), plan.pauseMax().toMillis() + 1);
  }

  // ---- the check

  private SoakCheck.Result check(ServiceProcess service) throws Exception {
    say.say("reading every ledger and holding the books against them ...");
    SoakCheck check = new SoakCheck();
    for (int i = 0; i < plan.processes(); i++) {
      check.readBook(home.book(i));
    }
    List<LedgerId> ledgers = home.ledgers();
    for (int i = 0; i < ledgers.size(); i += LEDGERS_PER_CLIENT) {
      List<LedgerId> some = ledgers.subList(i, Math.min(ledgers.size(), i + LEDGERS_PER_CLIENT));
      check.readLedgers(service.target(), home.trust("reader-" + i), some, owner);
    }
    say.say(String.format(Locale.ROOT, "auditing %d ledgers ...", plan.audited()));
    List<LedgerId> drawn = new ArrayList<>(ledgers);
    Collections.shuffle(drawn, new Random(plan.seed()));
    for (LedgerId ledger : drawn.subList(0, Math.min(plan.audited(), drawn.size()))) {
      AuditReport report = audit(service, ledger);
      if (!report.faults().isEmpty() || !report.checkpointVerified()) {
        faults.add(String.format(Locale.ROOT, "audit of %s: %s", ledger, AuditText.of(report)));
      }
    }
    return check.finish();
  }

  private AuditReport audit(ServiceProcess service, LedgerId ledger) throws Exception {
    ClientConfig config =
        ClientConfig.of(service.target(), home.trust("auditor")).withReader(owner);
    ManagedChannel channel = ServiceChannel.reading(config, ledger);
    try {
      return new Auditor(SignatureProviders.best())
          .audit(
              ledger,
              new RemoteLogSource(channel, new StrandId(ledger, 0)),
              AuditOptions.defaults());
    } finally {
      channel.shutdownNow();
    }
  }

  private List<BenchCase> cases(SoakCheck.Result result) {
    List<BenchCase> cases = new ArrayList<>();
    cases.add(figure("soak-load", plan.load().toSeconds(), "s"));
    cases.add(figure("soak-ledgers", plan.ledgers(), "ledgers"));
    cases.add(figure("soak-requests", result.sent(), "requests"));
    cases.add(figure("soak-acknowledged", result.acknowledged(), COUNT));
    cases.add(figure("soak-found", result.found(), COUNT));
    cases.add(figure("soak-found-unacknowledged", result.unacknowledged(), COUNT));
    cases.add(figure("soak-repeats", result.repeats(), "requests"));
    cases.add(figure("soak-unanswered", result.silences(), "attempts"));
    cases.add(figure("soak-kills-of-clients", kills, TIMES));
    cases.add(figure("soak-restarts-of-clients", restarts, TIMES));
    for (Map.Entry<String, Long> refused : new TreeMap<>(result.refusals()).entrySet()) {
      cases.add(figure("soak-refused-" + refused.getKey(), refused.getValue(), TIMES));
    }
    cases.addAll(before.cases());
    cases.addAll(after.cases());
    cases.add(figure("soak-audited", plan.audited(), "ledgers"));
    cases.add(figure("soak-faults", faults.size(), "faults"));
    return cases;
  }

  private static BenchCase figure(String name, long value, String unit) {
    return BenchCase.figure(name, (double) value, unit);
  }
}
