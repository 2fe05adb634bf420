package io.tallystick.gpu;

/// The kernels of the {@link KernelImage}. What each reads and writes, and from which launch, is
/// said in `tallystick.cu` and `trie_kernels.cuh`; the parameters here are in its order. A pointer
/// has 64 bits, any other parameter is an unsigned int.
public enum Kernel {
  /// SHA-256 of messages of equal length: messages, stride, count, digests.
  SHA256_STRIDED("sha256_strided"),

  /// SHA-256 of messages of any length, after a prefix byte or none ({@link #NO_PREFIX}): messages,
  /// offsets, origin, count, prefix, digests.
  SHA256("sha256"),

  /// Keccak-256 of messages of any length: messages, offsets, origin, count, digests.
  KECCAK256("keccak256"),

  /// All levels of complete subtrees, or the lowest of them: leaves, their count, levels, nodes.
  RFC9162_SUBTREES("rfc9162_subtrees"),

  /// Of the trie, as all that follow: description, field, value.
  TRIE_NUMBER("trie_number"),

  /// Description, field, array.
  TRIE_ATTACH("trie_attach"),

  /// Description.
  TRIE_CLEAR("trie_clear"),

  /// Description, count of entries.
  TRIE_RESERVE("trie_reserve"),

  /// Description, count of entries.
  TRIE_EXPAND("trie_expand"),

  /// Description, count of entries.
  TRIE_INSERT("trie_insert"),

  /// Description, count of entries.
  TRIE_LOCK_INSERT("trie_lock_insert"),

  /// Description, count of entries.
  TRIE_MARK("trie_mark"),

  /// Description, count of starts.
  TRIE_HASH("trie_hash"),

  /// Description, count of entries.
  TRIE_FIND("trie_find"),

  /// Description, count of entries.
  TRIE_PROOF_SIZES("trie_proof_sizes"),

  /// Description, count of entries, proofs.
  TRIE_PROOFS("trie_proofs");

  /// Threads that a block has at most.
  public static final int BLOCK_THREADS_MAX = 256;

  /// Threads that a block of a trie's kernel has at most: whole warps.
  public static final int TRIE_BLOCK_THREADS_MAX = 128;

  /// Threads of a warp.
  public static final int WARP_THREADS = 32;

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
