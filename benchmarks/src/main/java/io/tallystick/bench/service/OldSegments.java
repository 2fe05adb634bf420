package io.tallystick.bench.service;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Lets a run write more than the disk holds: takes the space of a stream's old segments, whose
/// frames are indexed, so that the service reads them no more. Names and lengths stay; the frames
/// are lost, and the store is good for nothing but going on with the run.
final class OldSegments {
  private static final int KEPT = 3;
  private static final String SEGMENT = "[0-9a-f]{8}\\.seg";

  private final Path stream;
  private final Set<Path> emptied = new HashSet<>();
  private long bytes;

  /// @param stream the folder of the segments
  OldSegments(Path stream) {
    this.stream = stream;
  }

  /// Of all that were emptied.
  long bytes() {
    return bytes;
  }

  /// Empties all but the newest three, with `fallocate` of util-linux.
  void empty() throws IOException, InterruptedException {
    List<Path> segments;
    try (Stream<Path> files = Files.list(stream)) {
      segments =
          files.filter(file -> file.getFileName().toString().matches(SEGMENT)).sorted().toList();
    }
    for (Path segment : segments.subList(0, Math.max(0, segments.size() - KEPT))) {
      if (emptied.add(segment)) {
        bytes += empty(segment);
      }
    }
  }

  private static long empty(Path segment) throws IOException, InterruptedException {
    long size = Files.size(segment);
    Process process =
        new ProcessBuilder("fallocate", "--punch-hole", "-l", Long.toString(size), "" + segment)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("cannot take the space of " + segment + ": " + said.strip());
    }
    return size;
  }
}
