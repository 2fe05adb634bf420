package io.tallystick.server.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/// Whether of two directories one is in the other, wherever links lead.
public final class Nested {
  private Nested() {}

  /// @throws IOException if they are the same, or one is in the other
  public static void refuse(Path one, Path other) throws IOException {
    Path first = real(one);
    Path second = real(other);
    if (first.startsWith(second) || second.startsWith(first)) {
      throw new IOException(
          String.format(Locale.ROOT, "%s and %s are one in the other", one, other));
    }
  }

  /// The real path of one that may not exist: that of its nearest directory that does, and the
  /// rest.
  private static Path real(Path path) throws IOException {
    Path absolute = path.toAbsolutePath().normalize();
    Path there = absolute;
    while (!Files.exists(there) && there.getParent() != null) {
      there = there.getParent();
    }
    return there.toRealPath().resolve(there.relativize(absolute)).normalize();
  }
}
