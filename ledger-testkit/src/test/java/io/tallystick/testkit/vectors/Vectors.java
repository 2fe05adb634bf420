package io.tallystick.testkit.vectors;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The vector files of a folder.
public final class Vectors {
  private static final String SUFFIX = ".json";

  private Vectors() {}

  /// All vectors of one topic, in order of name.
  ///
  /// @param root the folder `vectors`
  public static List<Vector> read(Path root, String topic) {
    try (Stream<Path> files = Files.walk(root.resolve(topic))) {
      return files
          .filter(file -> file.toString().endsWith(SUFFIX))
          .sorted()
          .map(file -> readOne(root, file))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Writes each vector's file; what else is there stays.
  ///
  /// @param root the folder `vectors`
  static void write(Path root, List<Vector> vectors) throws IOException {
    for (Vector vector : vectors) {
      Path file = root.resolve(vector.name() + SUFFIX);
      Files.createDirectories(file.resolveSibling(""));
      Files.writeString(file, vector.json());
    }
  }

  private static Vector readOne(Path root, Path file) {
    String path = root.relativize(file).toString().replace('\\', '/');
    String name = path.substring(0, path.length() - SUFFIX.length());
    try {
      return Vector.parse(name, Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
