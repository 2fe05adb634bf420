package io.tallystick.bench;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.BenchReport;
import io.tallystick.bench.service.AppendBench;
import io.tallystick.bench.service.ServiceBench;
import io.tallystick.bench.soak.SoakBench;
import io.tallystick.bench.soak.SoakPlan;
import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Failures;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/// `tally bench`: measures the service on this machine. The script `tally` starts it.
@Command(
    name = "tally bench",
    description = "Measure the service on this machine, each figure beside its limit.",
    mixinStandardHelpOptions = true,
    subcommands = {
      Bench.Append.class,
      Bench.Service.class,
      Bench.Soak.class,
      ClueBenchCommand.class,
      StateBenchCommand.class,
      TrustBenchCommand.class,
      RemovalBenchCommand.class,
      GpuBenchCommand.class,
      OperateBenchCommand.class,
      ClusterBenchCommand.class
    })
public final class Bench {
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new Bench());
    Failures.handle(commandLine);
    return commandLine;
  }

  @Command(
      name = "append",
      description = {
        "Measure appends over gRPC, forced and with verified receipts, and audits.",
        "Client and service are processes of their own on loopback. Appends: signed-256, "
            + "batch-256, batch-1024, latency. Audits of a saved log: audit, audit-no-bodies. "
            + "Run only if named: blocks (by the size of a block and how long it lingers), start, restart, "
            + "sustained."
      },
      mixinStandardHelpOptions = true)
  static final class Append implements Callable<Integer> {
    @Mixin private Output output = new Output();

    @Option(
        names = "--case",
        paramLabel = "NAME",
        description = "Measure only this case; repeat the option for more")
    private List<String> cases = AppendBench.CASES;

    @Option(
        names = "--seconds",
        defaultValue = "10",
        description = "How long each case is measured, after a warm-up. Default: ${DEFAULT-VALUE}")
    private double seconds;

    @Option(
        names = "--warm-up",
        paramLabel = "SECONDS",
        defaultValue = "30",
        description = "How long the warm-up before each case is. Default: ${DEFAULT-VALUE}")
    private double warmUpSeconds;

    @Option(
        names = "--repeat",
        paramLabel = "TIMES",
        defaultValue = "3",
        description =
            "How many times each case is measured, each beside a limit of its own; medians "
                + "are reported. Default: ${DEFAULT-VALUE}")
    private int repetitions;

    @Option(
        names = "--journals",
        defaultValue = "10000000",
        description =
            "How many journals the ledger of the case restart has. Default: " + "${DEFAULT-VALUE}")
    private long journals;

    @Option(
        names = "--minutes",
        defaultValue = "15",
        description = "How long the case sustained takes. Default: ${DEFAULT-VALUE}")
    private int minutes;

    @Option(
        names = "--dir",
        paramLabel = "DIR",
        description = "The folder for data meanwhile. Default: the temporary folder")
    private @Nullable Path directory;

    @Override
    public Integer call() throws Exception {
      for (String name : cases) {
        if (!AppendBench.CASES.contains(name) && !AppendBench.LONG_CASES.contains(name)) {
          throw new UsageException(
              String.format(
                  Locale.ROOT,
                  "no case %s; there are %s and %s",
                  name,
                  AppendBench.CASES,
                  AppendBench.LONG_CASES));
        }
      }
      checkTimes(seconds, warmUpSeconds, repetitions);
      if (journals < 1 || minutes < 1 || minutes > 1440) {
        throw new UsageException("--journals is at least 1, --minutes 1 to 1440");
      }
      try (TemporaryFolder home = TemporaryFolder.create(directory, "tally-bench-")) {
        BenchReport report =
            new AppendBench(home.path(), seconds, warmUpSeconds, repetitions, output::say)
                .withLong(journals, minutes)
                .run(cases, root());
        output.print(text(report), asMap(report));
      }
      return ExitCode.OK;
    }
  }

  @Command(
      name = "service",
      description = {
        "Measure REST appends, verified reads, many ledgers and public audits.",
        "rest-256: throughput of REST, and its latency at 3,000 appends a second. "
            + "verified-read: reads over gRPC at random places. ledgers: many ledgers. "
            + "audit-http: audits over the public path.",
        "Client and service are processes of their own. rest-256-disk-p99 says what a "
            + "forced page takes meanwhile, machine-signatures what the processors do."
      },
      mixinStandardHelpOptions = true)
  static final class Service implements Callable<Integer> {
    @Mixin private Output output = new Output();
    @Mixin private ChosenCases chosen = new ChosenCases();

    @Option(
        names = "--seconds",
        defaultValue = "10",
        description = "How long each case is measured, after a warm-up. Default: ${DEFAULT-VALUE}")
    private double seconds;

    @Option(
        names = "--warm-up",
        paramLabel = "SECONDS",
        defaultValue = "30",
        description =
            "How long the warm-up before each case but audit-http is. Default: "
                + "${DEFAULT-VALUE}")
    private double warmUpSeconds;

    @Option(
        names = "--repeat",
        paramLabel = "TIMES",
        defaultValue = "3",
        description =
            "How many times each case is measured; medians are reported. Default: "
                + "${DEFAULT-VALUE}")
    private int repetitions;

    @Option(
        names = "--journals",
        defaultValue = "1000000",
        description =
            "How many journals the log of verified-read and audit-http has. Default: "
                + "${DEFAULT-VALUE}")
    private long journals;

    @Option(
        names = "--ledgers",
        defaultValue = "10000",
        description = "How many ledgers the case ledgers has. Default: ${DEFAULT-VALUE}")
    private int ledgers;

    @Option(
        names = "--dir",
        paramLabel = "DIR",
        description = "The folder for data meanwhile. Default: the temporary folder")
    private @Nullable Path directory;

    @Override
    public Integer call() throws Exception {
      List<String> cases = chosen.of(ServiceBench.CASES);
      checkTimes(seconds, warmUpSeconds, repetitions);
      if (journals < 1 || ledgers < 2) {
        throw new UsageException("--journals is at least 1, --ledgers 2");
      }
      try (TemporaryFolder home = TemporaryFolder.create(directory, "tally-bench-")) {
        BenchReport report =
            new ServiceBench(
                    home.path(),
                    seconds,
                    warmUpSeconds,
                    repetitions,
                    journals,
                    ledgers,
                    output::say)
                .run(cases, root());
        output.print(text(report), asMap(report));
      }
      return ExitCode.OK;
    }
  }

  @Command(
      name = "soak",
      description = {
        "Load the service for long, kill clients and service, then look for lost " + "journals.",
        "Many clients append over REST and gRPC to many ledgers. Clients are killed and "
            + "come back; the service is killed once. Then every ledger is read: no "
            + "acknowledged journal is lost, and none is there twice. The memory of the service "
            + "is reported."
      },
      mixinStandardHelpOptions = true)
  static final class Soak implements Callable<Integer> {
    @Mixin private Output output = new Output();

    @Option(
        names = "--minutes",
        defaultValue = "20",
        description = "How long the load takes. Default: ${DEFAULT-VALUE}")
    private int minutes;

    @Option(
        names = "--ledgers",
        defaultValue = "1000",
        description = "How many ledgers there are. Default: ${DEFAULT-VALUE}")
    private int ledgers;

    @Option(
        names = "--clients",
        defaultValue = "64",
        description =
            "How many clients there are, in four processes; every other client uses REST. "
                + "Default: ${DEFAULT-VALUE}")
    private int clients;

    @Option(
        names = "--seed",
        paramLabel = "N",
        description = "The seed of all that is random. Default: taken from the clock")
    private @Nullable Long seed;

    @Option(
        names = "--dir",
        paramLabel = "DIR",
        description = "The folder for data and books meanwhile. Default: the temporary folder")
    private @Nullable Path directory;

    @Override
    public Integer call() throws Exception {
      if (minutes < 1 || minutes > 1440 || ledgers < 1 || ledgers > 100_000) {
        throw new UsageException("--minutes is 1 to 1440, --ledgers 1 to 100000");
      }
      if (clients < 1 || clients > 1000) {
        throw new UsageException("--clients is 1 to 1000");
      }
      SoakPlan plan =
          SoakPlan.of(minutes, ledgers, clients, seed == null ? System.nanoTime() : seed);
      try (TemporaryFolder home = TemporaryFolder.create(directory, "tally-soak-")) {
        SoakBench.Outcome outcome = run(plan, home);
        Map<String, Object> object = asMap(outcome.report());
        object.put("faults", outcome.faults());
        output.print(text(outcome.report()), object);
        if (outcome.faults().isEmpty()) {
          return ExitCode.OK;
        }
        outcome.faults().forEach(fault -> output.err().println("tally: soak: " + fault));
        keep(home);
        return ExitCode.EVIDENCE;
      }
    }

    /// A soak that cannot come to its end is one to look into, too.
    private SoakBench.Outcome run(SoakPlan plan, TemporaryFolder home) throws Exception {
      try {
        return new SoakBench(home.path(), plan, output::say).run(root());
      } catch (Exception e) {
        keep(home);
        throw e;
      }
    }

    private void keep(TemporaryFolder home) {
      home.keep();
      output.err().println("tally: soak failed; data and books are kept in " + home.path());
    }
  }

  static Path root() {
    return Path.of(System.getenv().getOrDefault("TALLY_ROOT", "."));
  }

  static void checkTimes(double seconds, double warmUpSeconds, int repetitions)
      throws UsageException {
    if (seconds <= 0 || seconds > 3600 || warmUpSeconds < 0 || warmUpSeconds > 3600) {
      throw new UsageException("--seconds is above 0, --warm-up 0 or more, both at most 3600");
    }
    if (repetitions < 1 || repetitions > 100) {
      throw new UsageException("--repeat is 1 to 100");
    }
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> asMap(BenchReport report) {
    return JsonMapper.builder().build().convertValue(report, Map.class);
  }

  static String text(BenchReport report) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s, %d processors, commit %s%n",
            report.machine().cpu(),
            report.machine().processors(),
            report.commit()));
    for (BenchCase measured : report.cases()) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-22s %12s %s",
              measured.name(),
              figure(measured.value()),
              measured.unit()));
      if (measured.p50Ms() != null) {
        text.append(
            String.format(
                Locale.ROOT, "   p50 %.2f ms, p99 %.2f ms", measured.p50Ms(), measured.p99Ms()));
      }
      if (measured.limit() != null && measured.ratio() != null) {
        text.append(
            String.format(
                Locale.ROOT,
                "   %.0f %% of the limit of %s",
                100 * measured.ratio(),
                limit(measured.limit())));
      }
      if (measured.ratios() != null) {
        text.append(
            String.format(
                Locale.ROOT,
                " (%.0f to %.0f %%)",
                100 * measured.ratios().getFirst(),
                100 * measured.ratios().getLast()));
      }
      if (measured.values() != null) {
        text.append(
            String.format(
                Locale.ROOT,
                "   %s to %s",
                figure(measured.values().getFirst()),
                figure(measured.values().getLast())));
      }
      if (measured.cacheOfIndex() != null) {
        text.append(String.format(Locale.ROOT, "   cache / index %.2f", measured.cacheOfIndex()));
      }
      if (measured.departs() != null) {
        text.append("   not as shipped: ").append(measured.departs());
      }
      text.append(System.lineSeparator());
    }
    return text.toString().stripTrailing();
  }

  private static String limit(double value) {
    return String.format(Locale.ROOT, value == Math.rint(value) ? "%,.0f" : "%,.2f", value);
  }

  private static String figure(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%,.2f" : "%,.0f", value);
  }
}
