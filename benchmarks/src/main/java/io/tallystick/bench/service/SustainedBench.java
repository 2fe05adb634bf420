package io.tallystick.bench.service;

import static io.tallystick.bench.figure.ProcessMemory.megabytes;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.bench.figure.ProcessMemory;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Is the service as fast after a quarter of an hour of `batch-256` as at its beginning, does its
/// memory stay where it is, and how many bytes does a journal take on the disk?
final class SustainedBench {
  private static final double BYTES_PER_JOURNAL_MAX = 1.6 * BatchLoad.PAYLOAD_BYTES + 260;
  private static final long FREE_BYTES_MIN = 4L << 30;
  private static final long FREE_BYTES_WANTED = 40L << 30;

  private final Path home;
  private final int minutes;
  private final Duration minute;
  private final double warmUpSeconds;
  private final Narrator say;

  /// @param minute how long one is; shorter in tests
  SustainedBench(Path home, int minutes, Duration minute, double warmUpSeconds, Narrator say) {
    this.home = home;
    this.minutes = minutes;
    this.minute = minute;
    this.warmUpSeconds = warmUpSeconds;
    this.say = say;
  }

  /// @param serviceBytes resident at the end of the minute
  /// @param clientBytes the same of this process
  private record Minute(double journalsPerSecond, long serviceBytes, long clientBytes) {}

  List<BenchCase> run() throws Exception {
    Path data = home.resolve("sustained");
    try (ServiceProcess service = ServiceProcess.start(data, home.resolve("sustained.log"));
        TallyClient client =
            TallyClient.connect(
                ClientConfig.of(service.target(), home.resolve("sustained.trust")))) {
      LedgerHandle ledger =
          client.createLedger("bench", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      BatchLoad load = new BatchLoad(ledger);
      Thread.sleep((long) (warmUpSeconds * 1000));
      OldSegments old = new OldSegments(data.resolve("stream/00000000"));
      List<Minute> measured = measure(load, service.pid(), old);
      load.stop();
      double bytes = allocatedBytes(data) + old.bytes();
      if (old.bytes() > 0) {
        say.say(
            String.format(
                Locale.ROOT, "  space of old segments taken: %,.0f MB", megabytes(old.bytes())));
      }
      double bytesPerJournal = bytes / load.acknowledged();
      return cases(measured, bytesPerJournal);
    }
  }

  private List<Minute> measure(BatchLoad load, long pid, OldSegments old) throws Exception {
    List<Minute> measured = new ArrayList<>();
    long mark = System.nanoTime();
    long before = load.acknowledged();
    while (measured.size() < minutes) {
      Thread.sleep(Math.max(0, (mark + minute.toNanos() - System.nanoTime()) / 1_000_000));
      load.check();
      long now = System.nanoTime();
      long acknowledged = load.acknowledged();
      Minute figures =
          new Minute(
              (acknowledged - before) / ((now - mark) / 1e9),
              ProcessMemory.of(pid).residentBytes(),
              ProcessMemory.of(ProcessHandle.current().pid()).residentBytes());
      measured.add(figures);
      say.say(
          String.format(
              Locale.ROOT,
              "  minute %2d: %,9.0f journals/s; resident: service %.0f MB, client %.0f MB",
              measured.size(),
              figures.journalsPerSecond(),
              megabytes(figures.serviceBytes()),
              megabytes(figures.clientBytes())));
      if (home.toFile().getUsableSpace() < FREE_BYTES_WANTED) {
        old.empty();
      }
      if (home.toFile().getUsableSpace() < FREE_BYTES_MIN) {
        say.say("  stopped early: the disk is nearly full");
        break;
      }
      mark = now;
      before = acknowledged;
    }
    return measured;
  }

  private List<BenchCase> cases(List<Minute> measured, double bytesPerJournal) {
    Minute first = measured.getFirst();
    Minute last = measured.getLast();
    return List.of(
        BenchCase.beside("sustained-minutes", measured.size(), "min", minutes),
        BenchCase.beside(
            "sustained",
            last.journalsPerSecond(),
            BenchCase.JOURNALS_PER_SECOND,
            first.journalsPerSecond()),
        BenchCase.beside(
            "sustained-memory",
            megabytes(last.serviceBytes()),
            "MB",
            megabytes(first.serviceBytes())),
        BenchCase.beside(
            "sustained-client-memory",
            megabytes(last.clientBytes()),
            "MB",
            megabytes(first.clientBytes())),
        BenchCase.beside("sustained-disk", bytesPerJournal, "B/journal", BYTES_PER_JOURNAL_MAX));
  }

  /// What the data directory occupies on the disk, segments allocated ahead included.
  private static long allocatedBytes(Path data) throws IOException, InterruptedException {
    Process du =
        new ProcessBuilder("du", "-s", "--block-size=1", data.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String printed = new String(du.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    if (du.waitFor() != 0) {
      throw new IOException("du failed on " + data + "; is it there? " + Files.exists(data));
    }
    return Long.parseLong(printed.split("\\s", 2)[0]);
  }
}
