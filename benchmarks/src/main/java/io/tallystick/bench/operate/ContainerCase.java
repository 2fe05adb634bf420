package io.tallystick.bench.operate;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.service.StateClient;
import io.tallystick.cli.Tally;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// What does the container cost? One service is started in it and one outside, both without an
/// ahead-of-time cache, on the same disk and processors; each is loaded by turns with batches of
/// 1,000 journals of 256 B under one signature. Then each is started anew, by turns.
final class ContainerCase implements MeasuredCase {
  private static final double APPENDS_WANTED = 0.9;
  private static final double START_WANTED = 1.3;
  private static final int STARTS = 5;

  private final Signer signer = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
  private final String image;

  /// @param image its name, as `docker run` takes it
  ContainerCase(String image) {
    this.image = image;
  }

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    double[] outside = new double[run.repetitions()];
    double[] inside = new double[run.repetitions()];
    ClientKey owner = ClientKey.of(signer);
    try (ServiceProcess process = outside(run, "outside");
        ContainerProcess container = ContainerProcess.start(image, run.home().resolve("inside"));
        StateClient toProcess = new StateClient(process.target(), owner, signer);
        StateClient toContainer = new StateClient(container.target(), owner, signer)) {
      StateClient.Founded ofProcess = toProcess.found("outside", false);
      StateClient.Founded ofContainer = toContainer.found("inside", false);
      var _ = toProcess.throughput(ofProcess, false, run.warmUpSeconds());
      var _ = toContainer.throughput(ofContainer, false, run.warmUpSeconds());
      for (int i = 0; i < run.repetitions(); i++) {
        // Whoever comes second may find a slower machine: the order changes each time.
        if (i % 2 == 0) {
          outside[i] = toProcess.throughput(ofProcess, false, run.seconds()).perSecond();
        }
        inside[i] = toContainer.throughput(ofContainer, false, run.seconds()).perSecond();
        if (i % 2 == 1) {
          outside[i] = toProcess.throughput(ofProcess, false, run.seconds()).perSecond();
        }
        run.say(
            String.format(
                Locale.ROOT, "  %,.0f journals/s outside, %,.0f inside", outside[i], inside[i]));
      }
    }
    double[] startOutside = new double[STARTS];
    double[] startInside = new double[STARTS];
    for (int i = 0; i < STARTS; i++) {
      long began = System.nanoTime();
      try (ServiceProcess _ = outside(run, "start-outside-" + i)) {
        startOutside[i] = (System.nanoTime() - began) / 1e9;
      }
      began = System.nanoTime();
      try (ContainerProcess _ =
          ContainerProcess.start(image, run.home().resolve("start-inside-" + i))) {
        startInside[i] = (System.nanoTime() - began) / 1e9;
      }
      run.say(
          String.format(
              Locale.ROOT,
              "  listening after %.2f s outside, %.2f s inside",
              startOutside[i],
              startInside[i]));
    }
    return List.of(
        BenchCase.spread("container-outside", BenchCase.JOURNALS_PER_SECOND, outside),
        BenchCase.spread("container-inside", BenchCase.JOURNALS_PER_SECOND, inside),
        BenchCase.beside("container-ratio", BenchCase.ratios(inside, outside), "x", APPENDS_WANTED),
        BenchCase.spread("container-start-outside", "s", startOutside),
        BenchCase.spread("container-start-inside", "s", startInside),
        BenchCase.beside(
            "container-start-ratio",
            BenchCase.ratios(startInside, startOutside),
            "x",
            START_WANTED));
  }

  /// The service without the cache that `./tally` keeps: the image has none.
  private static ServiceProcess outside(Run run, String name) throws Exception {
    Path home = run.home();
    return ServiceProcess.start(
        home.resolve(name), home.resolve(name + ".log"), 0, Tally.class, List.of());
  }
}
