package io.tallystick.bench.gpu.trie;

/// The arrays of a trie on a device, in the order of `trie.cuh`, which says what each holds.
enum TrieArray {
  KEYS(Of.LEAF, 8),
  VALUES(Of.LEAF, TrieArray.VALUE),
  VALUE_BYTES(Of.LEAF, 1),
  SET_BY(Of.LEAF, 1),
  CHILDREN(Of.BRANCH, 16),
  NIBBLES(Of.BRANCH, 1),
  WITNESSES(Of.BRANCH, 1),
  VERSIONS(Of.BRANCH, 1),
  INNER_HASHES(Of.BRANCH, 8),
  INNER_BYTES(Of.BRANCH, 1),
  HASHES(Of.NODE, 8),
  HASH_BYTES(Of.NODE, 1),
  DEPTHS(Of.NODE, 1),
  MARKS(Of.NODE, 1),
  WAITS(Of.NODE, 1),
  PARENTS(Of.NODE, 1),
  ENTRY_KEYS(Of.ENTRY, 8),
  ENTRY_VALUES(Of.ENTRY, TrieArray.VALUE),
  ENTRY_BYTES(Of.ENTRY, 1),
  HELD(Of.ENTRY, 3),
  PLACES(Of.ENTRY, 1),
  STARTS(Of.ENTRY, 3);

  private static final int VALUE = -1;

  private enum Of {
    LEAF,
    BRANCH,
    NODE,
    ENTRY
  }

  private final Of of;
  private final int words;

  TrieArray(Of of, int words) {
    this.of = of;
    this.words = words;
  }

  long bytes(TrieLimits limits) {
    long count =
        switch (of) {
          case LEAF -> limits.leafSlots();
          case BRANCH -> limits.branchSlots();
          case NODE -> limits.leafSlots() + limits.branchSlots();
          case ENTRY -> limits.batch();
        };
    return count * Integer.BYTES * (words == VALUE ? limits.valueWords() : words);
  }
}
