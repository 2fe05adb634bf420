package io.tallystick.audit.replay;

import java.nio.file.Path;

/// How much memory a replay may take, and where it puts what does not fit.
///
/// @param bytesMax roughly; what one path of the trie takes is kept in any case
/// @param directory for a file without a lasting name, made only when there is need of it, as the
///   folder is
public record ReplayMemory(long bytesMax, Path directory) {
  private static final long DEFAULT_MIN = 16L << 20;
  private static final long DEFAULT_MAX = 256L << 20;

  public ReplayMemory {
    if (bytesMax < 0) {
      throw new IllegalArgumentException("memory of " + bytesMax + " bytes");
    }
  }

  /// A quarter of the heap, 16 to 256 MiB: a clue takes some 300 bytes. The file goes where this
  /// machine puts its temporary ones.
  public static ReplayMemory defaults() {
    return new ReplayMemory(
        Math.clamp(Runtime.getRuntime().maxMemory() / 4, DEFAULT_MIN, DEFAULT_MAX),
        Path.of(System.getProperty("java.io.tmpdir")));
  }

  /// The same, with the file elsewhere.
  public ReplayMemory in(Path folder) {
    return new ReplayMemory(bytesMax, folder);
  }
}
