package io.tallystick.storage.array;

import java.util.Locale;

/// Where an array's bytes are kept. None of these reaches a stored format or a hash: they may
/// change between two starts.
///
/// @param metaBytesMax at a savepoint an array longer than this moves from the meta store to a file
/// @param flushBytes unsaved bytes of a file array beyond which they are written, not forced
/// @param openFilesMax descriptors held by the shard's arrays
public record ArrayLimits(long metaBytesMax, int flushBytes, int openFilesMax) {
  /// 65,536 leaves of 32 bytes; fewer writes than frames; the bound on a shard's open files.
  public static final ArrayLimits DEFAULT = new ArrayLimits(2 << 20, 64 << 10, 1024);

  public ArrayLimits {
    if (metaBytesMax < 0 || flushBytes < 1 || openFilesMax < 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "limits %d, %d, %d out of range",
              metaBytesMax,
              flushBytes,
              openFilesMax));
    }
  }
}
