package io.tallystick.bench.trust;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.bench.service.AnchorReplayBench;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Runs the cases of `tally bench trust`.
public final class TrustBench {
  /// Every case by its name, in the order in which they run. A case is registered here and nowhere
  /// else.
  private static final Map<String, TrustCase> REGISTERED = new LinkedHashMap<>();

  static {
    REGISTERED.put("tokens", new TokensCase());
    REGISTERED.put("t-ledger", new TLedgerCase());
    REGISTERED.put("audit", new AnchoredAuditCase());
    REGISTERED.put("replay", TrustBench::replay);
  }

  /// Their names.
  public static final List<String> CASES = List.copyOf(REGISTERED.keySet());

  private static final int REPLAYED_PER_SECOND = 20_000;

  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final Narrator say;

  /// @param home an empty folder for data
  public TrustBench(
      Path home, double seconds, double warmUpSeconds, int repetitions, Narrator say) {
    this.home = home;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.say = say;
  }

  /// @param names some of {@link #CASES}
  public List<BenchCase> run(List<String> names) throws Exception {
    List<BenchCase> measured = new ArrayList<>();
    for (String name : names) {
      TrustCase each = REGISTERED.get(name);
      if (each == null) {
        throw new IllegalArgumentException("no case " + name);
      }
      say.say("measuring " + name + " ...");
      measured.addAll(each.measure(given(name)));
    }
    return measured;
  }

  /// Of a log that takes about as many seconds as a measurement.
  private static List<BenchCase> replay(TrustCase.Run run) throws Exception {
    int journals = (int) Math.ceil(run.seconds() * REPLAYED_PER_SECOND);
    return new AnchorReplayBench(run.home(), journals, run.repetitions(), run.narrator()).measure();
  }

  private TrustCase.Run given(String name) throws IOException {
    Path folder = Files.createDirectory(home.resolve(name));
    return new TrustCase.Run(folder, seconds, warmUpSeconds, repetitions, say);
  }
}
