package io.tallystick.bench.operate;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.service.StateClient;
import io.tallystick.cli.process.Folders;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.proxy.operate.Operator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/// What do backups cost those who append? Batches of 1,000 under one signature, by turns alone and
/// while one backup after another is made to the same disk. Every receipt is verified.
final class BackupCase implements MeasuredCase {
  private static final double WANTED = 0.7;

  private final Signer signer = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);

  /// Backups of one measurement.
  private record Made(int backups, long bytes) {}

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    Path data = run.home().resolve("data");
    double[] alone = new double[run.repetitions()];
    double[] beside = new double[run.repetitions()];
    double[] copied = new double[run.repetitions()];
    try (ServiceProcess service = ServiceProcess.start(data, run.home().resolve("service.log"));
        StateClient client = new StateClient(service.target(), ClientKey.of(signer), signer)) {
      StateClient.Founded ledger = client.found("backed up", false);
      var _ = client.throughput(ledger, false, run.warmUpSeconds());
      for (int i = 0; i < run.repetitions(); i++) {
        // Whoever comes second may find a slower machine: the order changes each time.
        if (i % 2 == 0) {
          alone[i] = client.throughput(ledger, false, run.seconds()).perSecond();
        }
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Made> backups =
            CompletableFuture.supplyAsync(() -> backUpUntil(enough, data, run.home()));
        long from = System.nanoTime();
        beside[i] = client.throughput(ledger, false, run.seconds()).perSecond();
        enough.set(true);
        Made made = backups.get();
        copied[i] = made.bytes() * 1e3 / (System.nanoTime() - from);
        if (i % 2 == 1) {
          alone[i] = client.throughput(ledger, false, run.seconds()).perSecond();
        }
        run.say(
            String.format(
                Locale.ROOT,
                "  %,.0f journals/s alone, %,.0f beside %d backups at %,.0f MB/s",
                alone[i],
                beside[i],
                made.backups(),
                copied[i]));
      }
    }
    return List.of(
        BenchCase.spread("backup-alone", BenchCase.JOURNALS_PER_SECOND, alone),
        BenchCase.spread("backup-beside", BenchCase.JOURNALS_PER_SECOND, beside),
        BenchCase.spread("backup-copied", "MB/s", copied),
        BenchCase.beside("backup-ratio", BenchCase.ratios(beside, alone), "x", WANTED));
  }

  /// Each backup goes into a folder of its own, which is deleted before the next.
  private static Made backUpUntil(AtomicBoolean enough, Path data, Path home) {
    List<Long> sizes = new ArrayList<>();
    Path to = home.resolve("backup");
    try {
      while (!enough.get()) {
        sizes.add(new Operator(data).backUp(to, (_, _) -> {}).bytes());
        Folders.delete(to);
      }
    } catch (Exception e) {
      throw new IllegalStateException("no backup: " + e.getMessage(), e);
    }
    return new Made(sizes.size(), sizes.stream().mapToLong(Long::longValue).sum());
  }
}
