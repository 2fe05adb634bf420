package io.tallystick.bench.trust;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.CpuTime;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.service.StateClient;
import io.tallystick.cli.Tally;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// What does trusted time cost those who append? Two services run side by side, of which one
/// journals a token every second; each is loaded by turns with batches of 1,000 under one
/// signature, and every receipt is verified.
final class TokensCase implements MeasuredCase {
  private static final double WANTED = 0.95;
  private static final int NEVER = 1_000_000_000;

  private final Signer signer = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    ClientKey owner = ClientKey.of(signer);
    try (LocalAuthority authority = new LocalAuthority(run.home());
        ServiceProcess plain = start(run, "plain", List.of());
        ServiceProcess stamped = start(run, "stamped", everySecond(authority));
        StateClient toPlain = new StateClient(plain.target(), owner, signer);
        StateClient toStamped = new StateClient(stamped.target(), owner, signer)) {
      Side without = new Side(plain, toPlain, toPlain.found("without", false));
      Side with = new Side(stamped, toStamped, toStamped.found("with", false));
      Speed _ = without.speed(run.warmUpSeconds());
      Speed _ = with.speed(run.warmUpSeconds());
      return measure(run, authority, without, with);
    }
  }

  private static List<BenchCase> measure(Run run, LocalAuthority authority, Side without, Side with)
      throws Exception {
    List<Speed> plain = new ArrayList<>();
    List<Speed> stamped = new ArrayList<>();
    double[] tokens = new double[run.repetitions()];
    for (int i = 0; i < run.repetitions(); i++) {
      // Whoever comes second may find a slower machine: the order changes each time.
      if (i % 2 == 0) {
        plain.add(without.speed(run.seconds()));
      }
      int before = authority.answered();
      stamped.add(with.speed(run.seconds()));
      tokens[i] = authority.answered() - before;
      if (i % 2 == 1) {
        plain.add(without.speed(run.seconds()));
      }
      run.say(
          String.format(
              Locale.ROOT,
              "  %,.0f journals/s without tokens, %,.0f with %.0f; processor time %.2f and %.2f us",
              plain.getLast().perSecond(),
              stamped.getLast().perSecond(),
              tokens[i],
              plain.getLast().micros(),
              stamped.getLast().micros()));
    }
    List<BenchCase> measured =
        new ArrayList<>(
            List.of(
                BenchCase.spread(
                    "tokens-without", BenchCase.JOURNALS_PER_SECOND, Speed.rates(plain)),
                BenchCase.spread(
                    "tokens-with", BenchCase.JOURNALS_PER_SECOND, Speed.rates(stamped)),
                BenchCase.spread("tokens-given", "tokens", tokens)));
    measured.addAll(Speed.beside("tokens", stamped, plain, WANTED));
    return measured;
  }

  private record Side(ServiceProcess service, StateClient client, StateClient.Founded ledger) {
    /// Processor time is that of client and service.
    Speed speed(double seconds) throws InterruptedException {
      CpuTime before = CpuTime.now(service.pid());
      StateClient.Throughput done = client.throughput(ledger, false, seconds);
      CpuTime.Cost cost = before.per(done.journals(), CpuTime.now(service.pid()));
      return new Speed(done.perSecond(), cost.clientMicros() + cost.serviceMicros());
    }
  }

  private static List<String> everySecond(LocalAuthority authority) {
    List<String> options = new ArrayList<>(authority.options());
    options.addAll(List.of("--time-interval", "1", "--time-count", String.valueOf(NEVER)));
    return options;
  }

  private static ServiceProcess start(Run run, String name, List<String> options)
      throws IOException {
    return ServiceProcess.start(
        run.home().resolve(name), run.home().resolve(name + ".log"), 0, Tally.class, options);
  }
}
