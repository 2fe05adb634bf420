package io.tallystick.server.host;

import io.tallystick.durable.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/// Files that keep a data directory from being opened by accident. Source: docs/formats/backup.md.
final class DirectoryMarks {
  /// While a backup is restored into it: what is there is not whole.
  static final String UNFINISHED = "restore.unfinished";

  /// After its last backup, or once it is imported: the service goes on elsewhere.
  static final String SUPERSEDED = "superseded";

  private DirectoryMarks() {}

  /// Whether a mark is there, set for this reason.
  static boolean isSet(Path dataDirectory, String mark, String why) throws IOException {
    Path file = dataDirectory.resolve(mark);
    return Files.exists(file) && Files.readString(file).strip().equals(why);
  }

  /// @throws IOException if it has one, saying what to do
  static void check(Path dataDirectory) throws IOException {
    if (Files.exists(dataDirectory.resolve(UNFINISHED)) || Files.exists(aside(dataDirectory))) {
      throw new IOException(
          String.format(
              Locale.ROOT, "a restore into %s was not finished; run it again", dataDirectory));
    }
    Path superseded = dataDirectory.resolve(SUPERSEDED);
    if (Files.exists(superseded)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "the service of %s goes on elsewhere, as %s says: two that go on would fork its ledgers",
              dataDirectory,
              superseded));
    }
  }

  /// Where a data directory stands before its mark is in it, and after it is to be no more.
  static Path aside(Path dataDirectory) {
    return dataDirectory.resolveSibling(dataDirectory.getFileName() + ".restore");
  }

  /// Makes a data directory of which nobody ever sees anything but with this mark in it.
  ///
  /// @param step runs after each change of the file system
  static void create(Path dataDirectory, String mark, String why, Runnable step)
      throws IOException {
    Path aside = aside(dataDirectory);
    PrivateFile.createDirectory(aside);
    step.run();
    set(aside, mark, why);
    step.run();
    Files.move(aside, dataDirectory, StandardCopyOption.ATOMIC_MOVE);
    step.run();
    PrivateFile.force(parent(dataDirectory));
  }

  /// Takes away a data directory that has nothing but this mark.
  ///
  /// @param step runs after each change of the file system but the last, after which nothing is
  ///   there
  static void delete(Path dataDirectory, String mark, Runnable step) throws IOException {
    Path aside = aside(dataDirectory);
    Files.move(dataDirectory, aside, StandardCopyOption.ATOMIC_MOVE);
    step.run();
    Files.deleteIfExists(aside.resolve(mark));
    step.run();
    Files.delete(aside);
    PrivateFile.force(parent(dataDirectory));
  }

  /// Takes away what an earlier run left aside.
  static void dropAside(Path dataDirectory, String mark) throws IOException {
    Path aside = aside(dataDirectory);
    Files.deleteIfExists(aside.resolve(mark));
    Files.deleteIfExists(aside);
  }

  private static Path parent(Path directory) {
    return Objects.requireNonNull(directory.toAbsolutePath().getParent());
  }

  /// The name comes first: that there is a file is the mark.
  static void set(Path dataDirectory, String mark, String why) throws IOException {
    try (FileChannel out =
        FileChannel.open(
            dataDirectory.resolve(mark),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      PrivateFile.force(dataDirectory);
      byte[] text = (why + "\n").getBytes(StandardCharsets.UTF_8);
      out.write(ByteBuffer.wrap(text));
      out.truncate(text.length);
      out.force(true);
    }
  }

  static void clear(Path dataDirectory, String mark) throws IOException {
    Files.deleteIfExists(dataDirectory.resolve(mark));
    PrivateFile.force(dataDirectory);
  }
}
