package io.tallystick.cli.terminal;

import io.tallystick.model.Printable;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Checks of the files and folders that a user names; each failure is one line.
public final class LocalPaths {
  private LocalPaths() {}

  /// @param path null if none was given
  public static void checkNoFolder(@Nullable Path path) throws FileSystemException {
    if (path != null && Files.isDirectory(path)) {
      throw new FileSystemException(path.toString(), null, "is a folder, want a file");
    }
  }

  /// A file to be made, looked at before there is anything to put into it.
  ///
  /// @param path null if none was given
  /// @throws FileAlreadyExistsException if it exists
  public static void checkNew(@Nullable Path path) throws FileSystemException {
    checkNoFolder(path);
    if (path != null && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(path.toString());
    }
  }

  /// @param path null if none was given; it may still have to be made
  public static void checkNoFile(@Nullable Path path) throws FileSystemException {
    if (path != null && Files.exists(path) && !Files.isDirectory(path)) {
      throw new FileSystemException(path.toString(), null, "is a file, want a folder");
    }
  }

  /// Writes a file that is not there yet.
  ///
  /// @throws FileAlreadyExistsException if it is
  public static void writeNew(Path path, byte[] content) throws IOException {
    try {
      Files.write(path, content, StandardOpenOption.CREATE_NEW);
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (IOException e) {
      throw notWritten(path, e);
    }
  }

  /// The failure to write a file, as a whole sentence: the cause alone may name a folder above it,
  /// or say of a file to be made that it does not exist.
  public static IOException notWritten(Path path, IOException failure) {
    return new IOException(
        String.format(Locale.ROOT, "cannot write %s: %s", path, reason(path, failure)), failure);
  }

  private static String reason(Path path, IOException failure) {
    if (!(failure instanceof NoSuchFileException missing)
        || !Path.of(missing.getFile()).toAbsolutePath().equals(path.toAbsolutePath())) {
      return words(failure);
    }
    Path folder = path.toAbsolutePath().getParent();
    return folder == null || Files.exists(folder)
        ? "its folder takes no new files"
        : "its folder does not exist";
  }

  /// A file of another form than was asked for shows nothing of anybody.
  ///
  /// @param want what it should be, after "is no"
  public static FileSystemException wrongForm(Path path, String want, Exception why) {
    FileSystemException wrong =
        new FileSystemException(
            path.toString(),
            null,
            String.format(Locale.ROOT, "is no %s: %s", want, why.getMessage()));
    wrong.initCause(why);
    return wrong;
  }

  /// In one line, whatever is in its name.
  public static String shown(Path path) {
    return Printable.of(path.toString());
  }

  public static String words(IOException failure) {
    return switch (failure) {
      case NoSuchFileException missing -> missing.getFile() + " does not exist";
      case FileAlreadyExistsException there -> there.getFile() + " exists and is not overwritten";
      case AccessDeniedException denied -> denied.getFile() + " may not be read or written";
      case NotDirectoryException file -> file.getFile() + ": is a file, want a folder";
      case FileSystemException other ->
          other.getFile()
              + ": "
              + Objects.requireNonNullElse(other.getReason(), other.getClass().getSimpleName());
      default -> String.valueOf(failure.getMessage());
    };
  }
}
