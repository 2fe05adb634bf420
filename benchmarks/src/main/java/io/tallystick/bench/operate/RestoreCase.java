package io.tallystick.bench.operate;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.service.StateClient;
import io.tallystick.bench.service.StateServiceLoad;
import io.tallystick.cli.process.Folders;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.proxy.operate.Operator;
import io.tallystick.server.host.LocalRestore;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// How long does a restore take beside the replay that it contains: the journals checked against
/// the tree, and the indexes made again? Half of the journals have a put each.
final class RestoreCase implements MeasuredCase {
  private static final double WANTED = 2;
  private static final int JOURNALS_PER_SECOND = 100_000;

  private final Signer signer = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    Path data = run.home().resolve("data");
    Path backup = run.home().resolve("backup");
    int journals = run.count(JOURNALS_PER_SECOND);
    long bytes;
    try (ServiceProcess service = ServiceProcess.start(data, run.home().resolve("service.log"));
        StateClient client = new StateClient(service.target(), ClientKey.of(signer), signer)) {
      fill(client, journals / 2, false);
      fill(client, journals / 2, true);
      bytes = new Operator(data).backUp(backup, (_, _) -> {}).bytes();
    }
    run.say(
        String.format(
            Locale.ROOT, "  %,d journals, a backup of %,d MB", journals, bytes / 1_000_000));
    double[] all = new double[run.repetitions()];
    double[] replay = new double[run.repetitions()];
    restore(run, data, backup); // the first one compiles
    for (int i = 0; i < all.length; i++) {
      long began = System.nanoTime();
      long replayed = restore(run, data, backup);
      long ended = System.nanoTime();
      all[i] = (ended - began) / 1e9;
      replay[i] = (ended - replayed) / 1e9;
      run.say(
          String.format(
              Locale.ROOT, "  restored in %.2f s, %.2f s of them the replay", all[i], replay[i]));
    }
    return List.of(
        BenchCase.spread("restore", "s", all),
        BenchCase.spread("restore-replay", "s", replay),
        BenchCase.beside("restore-ratio", BenchCase.ratios(all, replay), "x", WANTED));
  }

  private static void fill(StateClient client, long journals, boolean puts) throws Exception {
    StateServiceLoad load = client.load(client.found(puts ? "state" : "plain", puts), puts);
    load.awaitAcknowledged(journals);
    load.stop();
  }

  /// @return when the replay began, by {@link System#nanoTime}
  private static long restore(Run run, Path data, Path backup) throws Exception {
    Path to = run.home().resolve("restored");
    Copying copying = new Copying();
    var _ =
        new LocalRestore(
                backup, to, data.resolve("keys"), SignatureProviders.best(), BatchHasher.cpu())
            .run(true, copying);
    Folders.delete(to);
    return copying.at;
  }

  /// Notes when the last file is copied.
  private static final class Copying implements LocalRestore.Watch {
    private long at;

    @Override
    public void isAt(long done, long all) {
      at = System.nanoTime();
    }
  }
}
