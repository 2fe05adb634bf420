package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.proxy.SettingsFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// A file of the service's own settings.
final class ServiceSettingsOption {
  @Option(
      names = "--settings",
      paramLabel = "FILE",
      description = "A file with settings of docs/configuration.md for all else")
  private @Nullable Path file;

  SettingsFile read() throws UsageException, IOException {
    return file == null ? SettingsFile.NONE : read(file);
  }

  private static SettingsFile read(Path file) throws UsageException, IOException {
    try {
      return SettingsFile.read(file);
    } catch (IllegalArgumentException e) {
      throw new UsageException(LocalPaths.shown(file) + ": " + e.getMessage());
    }
  }
}
