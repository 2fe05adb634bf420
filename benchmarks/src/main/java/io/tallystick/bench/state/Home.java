package io.tallystick.bench.state;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/// A folder in which each contender gets a fresh one.
final class Home {
  private final Path path;
  private int folders;

  Home(Path path) {
    this.path = path;
  }

  Path path() {
    return path;
  }

  Path fresh() throws IOException {
    return Files.createDirectory(path.resolve("state-" + folders++));
  }

  static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
