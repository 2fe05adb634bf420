package io.tallystick.cli.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What the service does beside taking journals over gRPC: REST, verified reads, and audits over
/// the public path. Each figure stands beside the one that is wanted.
public final class ServiceBench {
  public static final List<String> CASES =
      List.of(RestBench.CASE, VerifiedReadBench.CASE, ManyLedgersBench.CASE, PublicAuditBench.CASE);

  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final long journals;
  private final int ledgers;
  private final AppendBench.Narrator say;

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
      AppendBench.Narrator say) {
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
    for (String name : names) {
      say.say("measuring " + name + " ...");
      cases.addAll(
          switch (name) {
            case RestBench.CASE ->
                new RestBench(home, seconds, warmUpSeconds, repetitions, say).run();
            case VerifiedReadBench.CASE ->
                new VerifiedReadBench(home, journals, seconds, warmUpSeconds, repetitions, say)
                    .run();
            case ManyLedgersBench.CASE ->
                new ManyLedgersBench(home, ledgers, seconds, warmUpSeconds, repetitions, say).run();
            case PublicAuditBench.CASE ->
                new PublicAuditBench(home, journals, warmUpSeconds, repetitions, say).run();
            default -> throw new IllegalArgumentException("no case " + name);
          });
    }
    return new BenchReport("service", ThisMachine.describe(), ThisMachine.commit(root), cases);
  }
}
