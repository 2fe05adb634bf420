package io.tallystick.proxy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/// A file that tells, while a process runs, a port on which it listens, in decimal.
public final class PortFile implements AutoCloseable {
  private final Path file;

  private PortFile(Path file) {
    this.file = file;
  }

  /// Writes it, over one of before.
  public static PortFile write(Path folder, String name, int port) throws IOException {
    Path file = folder.resolve(name);
    Path fresh = folder.resolve(name + ".new");
    Files.writeString(fresh, String.format(Locale.ROOT, "%d\n", port), StandardCharsets.US_ASCII);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    return new PortFile(file);
  }

  /// Removes it. One that is left behind misleads nobody for long: whoever reads it finds nobody
  /// there.
  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException _) {
      file.toFile().deleteOnExit();
    }
  }
}
