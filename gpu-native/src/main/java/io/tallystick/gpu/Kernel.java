package io.tallystick.gpu;

/// The kernels of the {@link KernelImage}. What each reads and writes, and from which launch, is
/// said in `tallystick.cu`; the parameters here are in its order. A pointer has 64 bits, any other
/// parameter is an unsigned int.
public enum Kernel {
  /// SHA-256 of messages of equal length: messages, stride, count, digests.
  SHA256_STRIDED("sha256_strided"),

  /// SHA-256 of messages of any length, after a prefix byte or none ({@link #NO_PREFIX}): messages,
  /// offsets, origin, count, prefix, digests.
  SHA256("sha256"),

  /// Keccak-256 of messages of any length: messages, offsets, origin, count, digests.
  KECCAK256("keccak256"),

  /// All levels of complete subtrees, or the lowest of them: leaves, their count, levels, nodes.
  RFC9162_SUBTREES("rfc9162_subtrees");

  /// Threads that a block has at most.
  public static final int BLOCK_THREADS_MAX = 256;

  /// For {@link #SHA256}: messages as they are.
  public static final int NO_PREFIX = 0x100;

  /// For {@link #SHA256}: RFC 9162's leaf hashes.
  public static final int LEAF_PREFIX = 0x00;

  private final String entry;

  Kernel(String entry) {
    this.entry = entry;
  }

  /// Its name in the PTX.
  public String entry() {
    return entry;
  }
}
