package io.tallystick.bench.state;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// What this process has read from files so far, as Linux counts it, the page cache included.
final class ReadBytes {
  private static final Path COUNTERS = Path.of("/proc/self/io");
  private static final String READ = "rchar: ";

  private ReadBytes() {}

  /// Always 0 where nobody counts.
  static long now() throws IOException {
    if (!Files.isReadable(COUNTERS)) {
      return 0;
    }
    for (String line : Files.readAllLines(COUNTERS)) {
      if (line.startsWith(READ)) {
        return Long.parseLong(line.substring(READ.length()).strip());
      }
    }
    return 0;
  }
}
