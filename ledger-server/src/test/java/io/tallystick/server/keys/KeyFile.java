package io.tallystick.server.keys;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// A key file that a test puts in a service's key directory: only its owner may read it, or the
/// service would refuse it for that alone.
public final class KeyFile {
  private KeyFile() {}

  /// Makes the file with mode 0600, or replaces what is in it.
  public static void write(Path file, byte[] content) throws IOException {
    try (FileChannel out =
        FileChannel.open(
            file,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
    }
  }
}
