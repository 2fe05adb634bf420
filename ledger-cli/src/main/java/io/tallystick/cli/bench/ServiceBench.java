package io.tallystick.cli.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What the service does beside taking journals over gRPC: REST, and audits over the public path.
/// Each figure stands beside the one that is wanted.
public final class ServiceBench {
  public static final List<String> CASES = List.of(RestBench.CASE, PublicAuditBench.CASE);

  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final long journals;
  private final AppendBench.Narrator say;

  /// @param home an empty folder for the service's data
  /// @param seconds measured per case
  /// @param warmUpSeconds before that, not counted
  /// @param repetitions of the measurement
  /// @param journals in the log that is audited
  public ServiceBench(
      Path home,
      double seconds,
      double warmUpSeconds,
      int repetitions,
      long journals,
      AppendBench.Narrator say) {
    this.home = home;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.journals = journals;
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
            case PublicAuditBench.CASE ->
                new PublicAuditBench(home, journals, repetitions, say).run();
            default -> throw new IllegalArgumentException("no case " + name);
          });
    }
    return new BenchReport("service", ThisMachine.describe(), ThisMachine.commit(root), cases);
  }
}
