package io.tallystick.audit.source;

import io.tallystick.durable.FileSteps;
import io.tallystick.durable.LocalFileSteps;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// A file beside a statement. Its name has the size of the log, so the file of the statement before
/// stays until the new statement is there.
///
/// @param prefix what the names of all files of this strand begin with
/// @param suffix of this kind of file
public record SizedFile(Path directory, String prefix, String suffix) {
  private static final String TEMPORARY = ".tmp";
  private static final int BUFFER_BYTES = 1 << 16;

  /// The content that a file gets.
  @FunctionalInterface
  public interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  public Path path(long size) {
    return directory.resolve(prefix + size + suffix);
  }

  /// Writes a file beside it, forces that, renames it, forces the directory.
  public void write(long size, Content content) throws IOException {
    FileSteps steps = new LocalFileSteps();
    Path file = path(size);
    Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY);
    try (OutputStream out =
        new BufferedOutputStream(new FileOutputStream(temporary.toFile()), BUFFER_BYTES)) {
      content.writeTo(out);
    }
    steps.force(temporary);
    steps.rename(temporary, file);
    steps.forceDirectory(directory);
  }

  /// Deletes those of other sizes, and what was never finished.
  public void dropOthers(long size) throws IOException {
    Path kept = path(size);
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, prefix + "*" + suffix + "{," + TEMPORARY + "}")) {
      for (Path file : files) {
        if (!file.equals(kept)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}
