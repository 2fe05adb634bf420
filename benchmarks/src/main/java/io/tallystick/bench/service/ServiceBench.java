package io.tallystick.bench.service;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.BenchReport;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// What the service does beside taking journals over gRPC: REST, verified reads, and audits over
/// the public path. Each figure stands beside the one that is wanted, and all of them beside what
/// the machine did in the same run: it is not always the same machine.
public final class ServiceBench {
  public static final List<String> CASES =
      List.of(RestBench.CASE, VerifiedReadBench.CASE, ManyLedgersBench.CASE, PublicAuditBench.CASE);

  private static final String MACHINE = "machine-signatures";
  private static final double MACHINE_SECONDS = 1;

  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final long journals;
  private final int ledgers;
  private final Narrator say;

  /// @param home an empty folder for the service's data
  /// @param seconds measured per case
  /// @param warmUpSeconds before that, not counted
  /// @param repetitions of the measurement
  /// @param journals in the log that is read or audited
  /// @param ledgers on the shard of many
  public ServiceBench(
      Path home,
      double seconds,
      double warmUpSeconds,
      int repetitions,
      long journals,
      int ledgers,
      Narrator say) {
    this.home = home;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.journals = journals;
    this.ledgers = ledgers;
    this.say = say;
  }

  /// @param names of {@link #CASES}
  /// @param root of the sources, for their commit
  public BenchReport run(List<String> names, Path root) throws Exception {
    List<BenchCase> cases = new ArrayList<>();
    List<Double> machine = new ArrayList<>();
    for (String name : names) {
      machine.add(signatures());
      say.say("measuring " + name + " ...");
      cases.addAll(run(name));
    }
    machine.add(signatures());
    cases.add(
        BenchCase.spread(
            MACHINE, "/s", machine.stream().mapToDouble(Double::doubleValue).toArray()));
    return new BenchReport("service", ThisMachine.describe(), ThisMachine.commit(root), cases);
  }

  /// Signatures made and verified on all processors at once: what a slow hour is told by.
  private double signatures() throws Exception {
    Signatures signatures = SignatureProviders.best();
    MachineLimits.signAndVerify(signatures, MACHINE_SECONDS);
    double perSecond = MachineLimits.signAndVerify(signatures, MACHINE_SECONDS);
    say.say(
        String.format(
            Locale.ROOT, "  the machine makes and verifies %,.0f signatures a second", perSecond));
    return perSecond;
  }

  private List<BenchCase> run(String name) throws Exception {
    return switch (name) {
      case RestBench.CASE -> new RestBench(home, seconds, warmUpSeconds, repetitions, say).run();
      case VerifiedReadBench.CASE ->
          new VerifiedReadBench(home, journals, seconds, warmUpSeconds, repetitions, say).run();
      case ManyLedgersBench.CASE ->
          new ManyLedgersBench(home, ledgers, seconds, warmUpSeconds, repetitions, say).run();
      case PublicAuditBench.CASE ->
          new PublicAuditBench(home, journals, warmUpSeconds, repetitions, say).run();
      default -> throw new IllegalArgumentException("no case " + name);
    };
  }
}
