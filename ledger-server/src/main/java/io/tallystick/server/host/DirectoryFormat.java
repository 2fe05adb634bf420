package io.tallystick.server.host;

import io.tallystick.durable.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/// The file `format` of a data directory: the format of the directory as a whole. Files and rows
/// have versions of their own; this number rises with a new kind of row or file that older software
/// would overlook. Source: docs/formats/backup.md.
final class DirectoryFormat {
  static final String FILE = "format";

  private static final int FORMAT = 2;
  private static final String WORD = "tallystick-data ";
  private static final int DIGITS_MAX = 9;

  private DirectoryFormat() {}

  /// Writes the number into a directory that has none or a lower one, before anything else is
  /// written there.
  ///
  /// @throws IOException if the directory has a number that this software does not know
  static void checkOrSet(Path dataDirectory) throws IOException {
    Path file = dataDirectory.resolve(FILE);
    if (!Files.exists(file)) {
      write(dataDirectory, file);
      return;
    }
    String line = Files.readString(file).strip();
    String digits = line.startsWith(WORD) ? line.substring(WORD.length()) : "";
    if (!digits.matches(String.format(Locale.ROOT, "[1-9][0-9]{0,%d}", DIGITS_MAX - 1))) {
      throw new IOException(
          String.format(Locale.ROOT, "%s is not \"%s\" and a number", file, WORD.strip()));
    }
    int format = Integer.parseInt(digits);
    if (format > FORMAT) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s has format %s, which is newer than what this software knows, %d; nothing was changed",
              dataDirectory,
              digits,
              FORMAT));
    }
    if (format < FORMAT) {
      write(dataDirectory, file);
    }
  }

  private static void write(Path dataDirectory, Path file) throws IOException {
    PrivateFile.replace(file, (WORD + FORMAT + "\n").getBytes(StandardCharsets.UTF_8));
    PrivateFile.force(dataDirectory);
  }
}
