package io.tallystick.bench.service;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.CpuTime;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.model.Bytes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// How long from the start of its process until a new service listens, and how long do its first
/// 10,000 signed single appends take? Medians of five services, each on a fresh directory.
final class StartBench {
  private static final int STARTS = 5;
  private static final int APPENDS = 10_000;
  private static final int PAYLOAD_BYTES = 256;
  private static final long APPENDS_SECONDS_MAX = 120;

  private final Path home;
  private final Narrator say;

  StartBench(Path home, Narrator say) {
    this.home = home;
    this.say = say;
  }

  List<BenchCase> run() throws Exception {
    double[] listening = new double[STARTS];
    double[] processor = new double[STARTS];
    double[] appends = new double[STARTS];
    for (int i = 0; i < STARTS; i++) {
      Path data = home.resolve("start-" + i);
      long started = System.nanoTime();
      try (ServiceProcess service = ServiceProcess.start(data, home.resolve("start.log"))) {
        listening[i] = secondsSince(started);
        processor[i] = CpuTime.now(service.pid()).serviceNanos() / 1e9;
        appends[i] = firstAppends(service, home.resolve("start-" + i + ".trust"));
      }
      say.say(
          String.format(
              Locale.ROOT,
              "  listening after %.2f s, %.2f s of processor time; then %,d appends in %.2f s",
              listening[i],
              processor[i],
              APPENDS,
              appends[i]));
    }
    return List.of(
        BenchCase.figure("start-listening", BenchCase.median(listening), "s"),
        BenchCase.figure("start-processor", BenchCase.median(processor), "s"),
        BenchCase.figure("start-first-10000-appends", BenchCase.median(appends), "s"));
  }

  private static double firstAppends(ServiceProcess service, Path trust) throws Exception {
    try (TallyClient client = TallyClient.connect(ClientConfig.of(service.target(), trust))) {
      LedgerHandle ledger =
          client.createLedger("bench", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      long started = System.nanoTime();
      List<CompletableFuture<?>> sent = new ArrayList<>();
      for (int i = 0; i < APPENDS; i++) {
        Bytes payload = Bytes.wrap(new byte[PAYLOAD_BYTES]);
        sent.add(ledger.appendAsync(JournalDraft.of(payload, "application/octet-stream")));
      }
      CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
          .get(APPENDS_SECONDS_MAX, TimeUnit.SECONDS);
      return secondsSince(started);
    }
  }

  private static double secondsSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e9;
  }
}
