package io.tallystick.bench.trust;

import io.tallystick.bench.figure.BenchCase;
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

/// What does trusted time cost those who append? Two services run side by side, of which one
/// journals a token every second; each is loaded by turns with batches of 1,000 under one
/// signature, and every receipt is verified.
final class TokensCase implements TrustCase {
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
      Side without = new Side(toPlain, toPlain.found("without", false));
      Side with = new Side(toStamped, toStamped.found("with", false));
      without.throughput(run.warmUpSeconds());
      with.throughput(run.warmUpSeconds());
      return measure(run, authority, without, with);
    }
  }

  private static List<BenchCase> measure(Run run, LocalAuthority authority, Side without, Side with)
      throws Exception {
    double[] plain = new double[run.repetitions()];
    double[] stamped = new double[run.repetitions()];
    double[] tokens = new double[run.repetitions()];
    for (int i = 0; i < run.repetitions(); i++) {
      // Whoever comes second may find a slower machine: the order changes each time.
      if (i % 2 == 0) {
        plain[i] = without.throughput(run.seconds());
      }
      int before = authority.answered();
      stamped[i] = with.throughput(run.seconds());
      tokens[i] = (authority.answered() - before) / run.seconds();
      if (i % 2 == 1) {
        plain[i] = without.throughput(run.seconds());
      }
      run.say(
          "  %,.0f journals/s without tokens, %,.0f with %.1f a second"
              .formatted(plain[i], stamped[i], tokens[i]));
    }
    return List.of(
        BenchCase.spread("tokens-without", BenchCase.JOURNALS_PER_SECOND, plain),
        BenchCase.spread("tokens-with", BenchCase.JOURNALS_PER_SECOND, stamped),
        BenchCase.spread("tokens-given", "tokens/s", tokens),
        BenchCase.beside("tokens-ratio", TrustCase.ratios(stamped, plain), "x", WANTED));
  }

  private record Side(StateClient client, StateClient.Founded ledger) {
    double throughput(double seconds) throws InterruptedException {
      return client.throughput(ledger, false, seconds);
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
