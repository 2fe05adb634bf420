package io.tallystick.storage.patricia;

/// The ways to bring a batch into the nodes of a trie. They give the same trie.
public enum UpdateWay {
  /// Lock-free: expand, insert, compress.
  PHASE_NU,
  /// Optimistic lock coupling.
  LOCK_NU;

  NodeUpdate update() {
    return switch (this) {
      case PHASE_NU -> new PhaseUpdate();
      case LOCK_NU -> new LockUpdate();
    };
  }
}
