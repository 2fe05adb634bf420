package io.tallystick.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// A file that its owner alone may read and write: a private key, or what belongs to one.
public final class PrivateFile {
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private PrivateFile() {}

  /// Makes a folder and its parents, with mode 0700, if they are not there.
  public static void createDirectory(Path directory) throws IOException {
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /// Written aside with mode 0600, forced and renamed, so that a cut-short write leaves no half
  /// file. The new name is on the disk once {@link #force} of its folder has returned.
  ///
  /// @param content stays the caller's, to be wiped
  public static void replace(Path file, byte[] content) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(aside);
    create(aside, content);
    Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /// Written with mode 0600 and forced.
  ///
  /// @param content stays the caller's, to be wiped
  /// @throws java.nio.file.FileAlreadyExistsException if the name is taken
  public static void create(Path file, byte[] content) throws IOException {
    try (FileChannel out =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
  }

  /// The names in a folder are on the disk when this returns.
  public static void force(Path directory) throws IOException {
    try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
      entries.force(true);
    }
  }

  /// Why a private key in this file is refused: others may read or write it. Empty if they may not,
  /// if the file system knows no such permissions, or if somebody else gives the file to a group of
  /// this process, which cannot write it ({@link ProcessUser#isGiven}).
  public static Optional<String> openToOthers(Path file) throws IOException {
    if (!Files.getFileStore(file).supportsFileAttributeView("posix")) {
      return Optional.empty();
    }
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
    return permissions.stream().noneMatch(OTHERS::contains) || isGiven(file, permissions)
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "private key %s is open to others (%s); make it 0600, and think about who may have read it",
                file,
                PosixFilePermissions.toString(permissions)));
  }

  private static boolean isGiven(Path file, Set<PosixFilePermission> permissions)
      throws IOException {
    Optional<ProcessUser> user = ProcessUser.current();
    return user.isPresent()
        && user.get()
            .isGiven(
                (int) Files.getAttribute(file, "unix:uid"),
                (int) Files.getAttribute(file, "unix:gid"),
                permissions,
                Files.isWritable(file));
  }
}
