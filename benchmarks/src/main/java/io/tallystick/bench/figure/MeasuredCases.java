package io.tallystick.bench.figure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The cases of one benchmark by their names, in the order in which they run.
public final class MeasuredCases {
  private final Map<String, MeasuredCase> registered = new LinkedHashMap<>();

  public MeasuredCases with(String name, MeasuredCase measured) {
    registered.put(name, measured);
    return this;
  }

  public List<String> names() {
    return List.copyOf(registered.keySet());
  }

  /// Runs cases one after another, each in a folder of its own.
  ///
  /// @param names some of {@link #names}
  /// @param run what the cases share; its home is an empty folder on the disk that is measured
  public List<BenchCase> run(List<String> names, MeasuredCase.Run run) throws Exception {
    List<BenchCase> measured = new ArrayList<>();
    for (String name : names) {
      MeasuredCase each = registered.get(name);
      if (each == null) {
        throw new IllegalArgumentException("no case " + name);
      }
      run.say("measuring " + name + " ...");
      Path folder = Files.createDirectory(run.home().resolve(name));
      measured.addAll(
          each.measure(
              new MeasuredCase.Run(
                  folder, run.seconds(), run.warmUpSeconds(), run.repetitions(), run.narrator())));
    }
    return measured;
  }
}
