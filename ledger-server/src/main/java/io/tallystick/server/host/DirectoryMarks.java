package io.tallystick.server.host;

import io.tallystick.durable.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/// Files that keep a data directory from being opened by accident. Source: docs/formats/backup.md.
final class DirectoryMarks {
  /// While a backup is restored into it: what is there is not whole.
  static final String UNFINISHED = "restore.unfinished";

  /// After its last backup: the service goes on elsewhere.
  static final String SUPERSEDED = "superseded";

  private DirectoryMarks() {}

  /// @throws IOException if it has one, saying what to do
  static void check(Path dataDirectory) throws IOException {
    if (Files.exists(dataDirectory.resolve(UNFINISHED))) {
      throw new IOException(
          String.format(
              Locale.ROOT, "a restore into %s was not finished; run it again", dataDirectory));
    }
    Path superseded = dataDirectory.resolve(SUPERSEDED);
    if (Files.exists(superseded)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "the service of %s goes on from its last backup, as %s says: two that go on would fork its ledgers",
              dataDirectory,
              superseded));
    }
  }

  static void set(Path dataDirectory, String mark, String why) throws IOException {
    PrivateFile.replace(dataDirectory.resolve(mark), (why + "\n").getBytes(StandardCharsets.UTF_8));
    PrivateFile.force(dataDirectory);
  }

  static void clear(Path dataDirectory, String mark) throws IOException {
    Files.deleteIfExists(dataDirectory.resolve(mark));
    PrivateFile.force(dataDirectory);
  }
}
