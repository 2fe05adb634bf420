package io.tallystick.bench.removal;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Runs the cases of `tally bench removal`.
public final class RemovalBench {
  /// Every case by its name, in the order in which they run. A case is registered here and nowhere
  /// else.
  private static final Map<String, RemovalCase> REGISTERED = new LinkedHashMap<>();

  static {
    REGISTERED.put("appends", new AppendsCase());
    REGISTERED.put("purge", new PurgeCase());
    REGISTERED.put("occult", new OccultCase());
    REGISTERED.put("audit", new OccultedAuditCase());
  }

  /// Their names.
  public static final List<String> CASES = List.copyOf(REGISTERED.keySet());

  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final Narrator say;

  /// @param home an empty folder for data, on the disk that is measured
  public RemovalBench(
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
      RemovalCase each = REGISTERED.get(name);
      if (each == null) {
        throw new IllegalArgumentException("no case " + name);
      }
      say.say("measuring " + name + " ...");
      measured.addAll(each.measure(given(name)));
    }
    return measured;
  }

  private RemovalCase.Run given(String name) throws IOException {
    Path folder = Files.createDirectory(home.resolve(name));
    return new RemovalCase.Run(folder, seconds, warmUpSeconds, repetitions, say);
  }
}
