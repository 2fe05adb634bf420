package io.tallystick.server.backup;

import io.tallystick.model.Digest;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// Writes a file from its beginning to its end, and hashes what it writes. Whole pages of zeros,
/// which erasures leave, become holes. One thread's.
final class BackupFileWriter implements AutoCloseable {
  private static final ByteBuffer ZEROS = ByteBuffer.allocate(DiskFile.PAGE_BYTES);

  /// So much waits to be written to the disk at most: more at a time would hold up the forces of
  /// appends on the same disk.
  private static final long FORCED_BYTES = 8L << 20;

  private final String name;
  private final DiskFile file;
  private final Meter meter;
  private final MessageDigest digest = sha256();
  private long position;
  private long written;
  private long forced;

  /// Hears of each piece.
  @FunctionalInterface
  interface Meter {
    /// @throws IOException to end the work
    void moved(long bytes) throws IOException;
  }

  BackupFileWriter(Disk disk, String name, Meter meter) throws IOException {
    this.name = name;
    this.file = disk.open(name);
    this.meter = meter;
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /// Writes what follows; consumes the buffer.
  void write(ByteBuffer bytes) throws IOException {
    digest.update(bytes.duplicate());
    int count = bytes.remaining();
    int begun = bytes.position();
    int at = begun;
    while (at < bytes.limit()) {
      long place = position + (at - bytes.position());
      int piece =
          (int)
              Math.min(
                  DiskFile.PAGE_BYTES - place % DiskFile.PAGE_BYTES, (long) bytes.limit() - at);
      if (piece == DiskFile.PAGE_BYTES && bytes.slice(at, piece).mismatch(ZEROS) < 0) {
        put(bytes, begun, at);
        begun = at + piece;
      }
      at += piece;
    }
    put(bytes, begun, at);
    position += count;
    bytes.position(bytes.limit());
    if (position - forced >= FORCED_BYTES) {
      file.force();
      forced = position;
    }
    meter.moved(count);
  }

  private void put(ByteBuffer bytes, int from, int to) throws IOException {
    if (from < to) {
      long place = position + (from - bytes.position());
      file.write(place, bytes.slice(from, to - from));
      written = place + (to - from);
    }
  }

  /// The file is on the disk when this returns; its name is after the folder was forced.
  BackupManifest.Part finish() throws IOException {
    if (written < position) {
      file.write(position - 1, ByteBuffer.allocate(1));
    }
    file.force();
    return new BackupManifest.Part(name, position, Digest.of(digest.digest(), 0));
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
