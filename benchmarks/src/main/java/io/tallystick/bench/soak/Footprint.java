package io.tallystick.bench.soak;

import io.tallystick.bench.figure.BenchCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/// What one service process took, from its warm-up to its end, and whether that grew.
final class Footprint {
  private static final int QUARTERS = 4;

  /// What Linux says of a process at one moment.
  ///
  /// @param residentBytes mapped files and caches included
  /// @param anonymousBytes resident without them: heap, stacks, native memory
  record Sample(long residentBytes, long anonymousBytes, int descriptors, int threads) {
    static Sample of(long pid) throws IOException {
      Path process = Path.of("/proc", String.valueOf(pid));
      long resident = 0;
      long anonymous = 0;
      int threads = 0;
      for (String line : Files.readAllLines(process.resolve("status"))) {
        String digits = line.replaceAll("[^0-9]", "");
        if (line.startsWith("VmRSS:")) {
          resident = Long.parseLong(digits) * 1024;
        } else if (line.startsWith("RssAnon:")) {
          anonymous = Long.parseLong(digits) * 1024;
        } else if (line.startsWith("Threads:")) {
          threads = Integer.parseInt(digits);
        }
      }
      try (Stream<Path> open = Files.list(process.resolve("fd"))) {
        return new Sample(resident, anonymous, (int) open.count(), threads);
      }
    }

    String text() {
      return String.format(
          Locale.ROOT,
          "service: resident %.0f MB, without mapped files %.0f MB, %d descriptors, %d threads",
          residentBytes / 1e6,
          anonymousBytes / 1e6,
          descriptors,
          threads);
    }
  }

  private final String name;
  private final List<Sample> samples = new ArrayList<>();

  /// @param name of the stretch, for the figures
  Footprint(String name) {
    this.name = name;
  }

  void add(Sample sample) {
    samples.add(sample);
  }

  /// The median of the last quarter, beside that of the first as its limit; none if there are too
  /// few samples.
  List<BenchCase> cases() {
    if (samples.size() < QUARTERS) {
      return List.of();
    }
    return List.of(
        figure("memory", "MB", sample -> sample.residentBytes() / 1e6),
        figure("memory-anonymous", "MB", sample -> sample.anonymousBytes() / 1e6),
        figure("descriptors", "open", Sample::descriptors),
        figure("threads", "running", Sample::threads));
  }

  private BenchCase figure(String what, String unit, ToDoubleFunction<Sample> value) {
    int quarter = samples.size() / QUARTERS;
    return BenchCase.beside(
        String.format(Locale.ROOT, "soak-%s-%s", what, name),
        median(samples.subList(samples.size() - quarter, samples.size()), value),
        unit,
        median(samples.subList(0, quarter), value));
  }

  private static double median(List<Sample> of, ToDoubleFunction<Sample> value) {
    return BenchCase.median(of.stream().mapToDouble(value).toArray());
  }
}
