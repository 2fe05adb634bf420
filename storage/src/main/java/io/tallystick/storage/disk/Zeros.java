package io.tallystick.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/// Writes zeros at the end of a file. Long runs bypass the page cache where possible: no reader
/// needs them in it, and the frames that replace them enter it again. The zeros are not forced.
final class Zeros {
  private static final int CHUNK_BYTES = 1 << 20;

  private static final ByteBuffer CHUNK =
      ByteBuffer.allocateDirect(CHUNK_BYTES + DirectChannel.ALIGNMENT_BYTES)
          .alignedSlice(DirectChannel.ALIGNMENT_BYTES)
          .slice(0, CHUNK_BYTES)
          .asReadOnlyBuffer();

  private Zeros() {}

  /// @param path of the file
  /// @param cached an opening of it
  /// @param from the file's end
  static void lay(Path path, FileChannel cached, long from, long to) throws IOException {
    long directFrom = DirectChannel.roundUp(from);
    long directTo = DirectChannel.roundDown(to);
    long reached = from;
    if (directTo - directFrom >= DirectChannel.BYTES_MIN) {
      write(cached, from, directFrom);
      reached = directFrom;
      try (FileChannel direct = DirectChannel.open(path)) {
        if (direct != null) {
          write(direct, directFrom, directTo);
          reached = directTo;
        }
      }
    }
    write(cached, reached, to);
  }

  private static void write(FileChannel channel, long from, long to) throws IOException {
    long at = from;
    while (at < to) {
      at += channel.write(CHUNK.slice(0, (int) Math.min(CHUNK_BYTES, to - at)), at);
    }
  }
}
