package io.tallystick.bench.service;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Latencies;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.cli.Tally;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// LedgerDB's figure 13 on the service: throughput and latency of signed singles by the size of a
/// block (`--block-journals`) and by how long it lingers (`--block-linger`). Throughput is that of
/// a closed loop, latency that of a low rate; both stand beside those of a service without these
/// settings, which is measured first.
final class BlocksBench {
  private static final int PAYLOAD_BYTES = 256;
  private static final int IN_FLIGHT = 2000;

  /// Singles a second, few enough for blocks of one journal.
  private static final int RATE = 500;

  /// @param name of the row
  /// @param options of the service
  private record Setting(String name, List<String> options) {
    static Setting journals(int count) {
      return new Setting("blocks-" + count, List.of("--block-journals", String.valueOf(count)));
    }

    static Setting lingering(int millis) {
      return new Setting(
          "blocks-linger-" + millis + "ms", List.of("--block-linger", String.valueOf(millis)));
    }
  }

  private static final List<Setting> SETTINGS =
      List.of(
          new Setting("blocks-by-load", List.of()),
          Setting.journals(1),
          Setting.journals(4),
          Setting.journals(16),
          Setting.journals(64),
          Setting.journals(256),
          Setting.journals(1000),
          Setting.lingering(0),
          Setting.lingering(5),
          Setting.lingering(20),
          Setting.lingering(100));

  private record Measured(double perSecond, double journalsPerBlock, Latencies latencies) {}

  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final Narrator say;

  BlocksBench(Path home, double seconds, double warmUpSeconds, Narrator say) {
    this.home = home;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.say = say;
  }

  List<BenchCase> run() throws Exception {
    List<BenchCase> cases = new ArrayList<>();
    double byLoad = 0;
    for (Setting setting : SETTINGS) {
      Measured measured = measure(setting);
      byLoad = byLoad == 0 ? measured.perSecond() : byLoad;
      say.say(
          String.format(
              Locale.ROOT,
              "  %s: %,.0f journals/s, %.1f a block; at %d/s p50 %.2f ms, p99 %.2f ms",
              setting.name(),
              measured.perSecond(),
              measured.journalsPerBlock(),
              RATE,
              measured.latencies().p50(),
              measured.latencies().p99()));
      cases.add(
          new BenchCase(
              setting.name(),
              BenchCase.round(measured.perSecond()),
              BenchCase.JOURNALS_PER_SECOND,
              BenchCase.round(byLoad),
              BenchCase.round(measured.perSecond() / byLoad),
              null,
              BenchCase.round(measured.latencies().p50()),
              BenchCase.round(measured.latencies().p99()),
              null,
              null));
    }
    return cases;
  }

  private Measured measure(Setting setting) throws Exception {
    Path data = home.resolve(setting.name());
    Path log = home.resolve(setting.name() + ".log");
    Path trust = home.resolve(setting.name() + ".trust");
    try (ServiceProcess service =
            ServiceProcess.start(data, log, 0, Tally.class, setting.options());
        TallyClient client = TallyClient.connect(ClientConfig.of(service.target(), trust))) {
      LedgerHandle ledger =
          client.createLedger("bench", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      AppendLoads.Load load = new AppendLoads.Load(ledger, PAYLOAD_BYTES, 1, IN_FLIGHT);
      AppendLoads.closedLoop(load, warmUpSeconds);
      long heightBefore = ledger.newestBlock().height();
      AppendLoads.Answered answered = AppendLoads.closedLoop(load, seconds);
      long blocks = ledger.newestBlock().height() - heightBefore;
      long[] nanos = AppendLoads.openLoop(ledger, Math.max(1, (int) (RATE * seconds)), RATE);
      return new Measured(
          answered.perSecond(),
          (double) answered.journals() / Math.max(1, blocks),
          Latencies.of(Arrays.stream(nanos)));
    }
  }
}
