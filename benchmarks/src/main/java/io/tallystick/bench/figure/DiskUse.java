package io.tallystick.bench.figure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// What files take on the disk.
public final class DiskUse {
  private DiskUse() {}

  /// Of all files in a folder, as du(1) counts: what is a hole in a file counts nothing. The
  /// lengths of the files where there is no such command.
  public static long bytesBelow(Path folder) throws IOException, InterruptedException {
    Process du;
    try {
      du =
          new ProcessBuilder("du", "-s", "-B1", folder.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException _) {
      return lengthsBelow(folder);
    }
    String said = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    // A file that is deleted meanwhile makes it end with 1.
    int end = said.indexOf('\t');
    return du.waitFor() > 1 || end < 0
        ? lengthsBelow(folder)
        : Long.parseLong(said.substring(0, end));
  }

  /// The lengths of all files in a folder; one that is deleted meanwhile counts nothing.
  public static long lengthsBelow(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.mapToLong(file -> file.toFile().isFile() ? file.toFile().length() : 0).sum();
    }
  }
}
