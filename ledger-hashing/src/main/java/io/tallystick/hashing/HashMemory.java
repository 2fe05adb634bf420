package io.tallystick.hashing;

import java.lang.foreign.MemorySegment;

/// Where a {@link HashBuffer} has its memory from. Thread-safe.
interface HashMemory {
  /// The garbage-collected heap, from which any number of bytes is taken.
  HashMemory HEAP =
      new HashMemory() {
        @Override
        public MemorySegment take(int bytes) {
          return MemorySegment.ofArray(new byte[bytes]);
        }

        @Override
        public void giveBack(MemorySegment memory) {}
      };

  /// @return at least `bytes`, holding anything
  MemorySegment take(int bytes);

  /// @param memory taken here and given back once
  void giveBack(MemorySegment memory);
}
