package io.tallystick.storage.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// Channels whose writes go past the page cache (O_DIRECT). Much data written so costs a quarter of
/// the processor time: nothing is copied, no page is made. It is not durable before a force of the
/// file, like any other.
final class DirectChannel {
  /// Direct writes start, end and lie in memory at multiples of this, so that no page is partly of
  /// the cache's making.
  static final int ALIGNMENT_BYTES = DiskFile.PAGE_BYTES;

  /// Less is not worth a system call of its own.
  static final int BYTES_MIN = 1 << 18;

  private static final @Nullable OpenOption DIRECT = option();

  private DirectChannel() {}

  /// `ExtendedOpenOption.DIRECT`, by name: the JDK has it in a module for what is not part of Java.
  private static @Nullable OpenOption option() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      return (OpenOption) options.getField("DIRECT").get(null);
    } catch (ReflectiveOperationException _) {
      return null;
    }
  }

  /// Null where the JDK or the file system has none.
  static @Nullable FileChannel open(Path path) {
    if (DIRECT == null) {
      return null;
    }
    try {
      return FileChannel.open(path, StandardOpenOption.WRITE, DIRECT);
    } catch (IOException | UnsupportedOperationException _) {
      return null;
    }
  }

  /// The first multiple of the alignment from `position` on.
  static long roundUp(long position) {
    return Math.ceilDiv(position, ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
  }

  /// The last multiple of the alignment up to `position`.
  static long roundDown(long position) {
    return position / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
  }
}
