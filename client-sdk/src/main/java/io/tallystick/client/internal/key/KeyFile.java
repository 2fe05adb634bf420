package io.tallystick.client.internal.key;

import io.tallystick.durable.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/// A key file: either a private key, PKCS#8 in PEM (RFC 7468), or the URI of a {@link
/// io.tallystick.crypto.DelegatedSigner}. It is readable by its owner alone, or given to a group of
/// this process by somebody else, as Kubernetes mounts a Secret.
public final class KeyFile {
  private static final int FILE_BYTES_MAX = 16 << 10;

  private static final Set<PosixFilePermission> OWNER_ONLY =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private KeyFile() {}

  /// The permissions are set as the file is created: there is no moment in which others can read
  /// it.
  public static void write(Path file, byte[] content) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Set<StandardOpenOption> options =
        EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (FileChannel channel = FileChannel.open(file, options, ownerOnly(parent))) {
      ByteBuffer source = ByteBuffer.wrap(content);
      while (source.hasRemaining()) {
        channel.write(source);
      }
      channel.force(true);
    }
    if (parent != null) {
      try (FileChannel directory = FileChannel.open(parent)) {
        directory.force(true);
      }
    }
  }

  /// @return the caller's to wipe
  public static byte[] read(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a folder, not a private key");
    }
    if (PrivateFile.openToOthers(file).isPresent()) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "private key %s is open to others (%s); make it 0600",
              file,
              PosixFilePermissions.toString(Files.getPosixFilePermissions(file))));
    }
    if (Files.size(file) > FILE_BYTES_MAX) {
      throw new IOException(file + " is too long for a private key");
    }
    return Files.readAllBytes(file);
  }

  private static FileAttribute<?>[] ownerOnly(@org.jspecify.annotations.Nullable Path directory)
      throws IOException {
    return directory == null || !supportsPosix(directory)
        ? new FileAttribute<?>[0]
        : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)};
  }

  private static boolean supportsPosix(Path path) throws IOException {
    FileStore store = Files.getFileStore(path);
    return store.supportsFileAttributeView("posix");
  }
}
