package io.tallystick.gpu.ptx;

import java.lang.foreign.MemorySegment;

/// A named object in a state space.
///
/// @param base address in its space; of a local variable, from its function's frame on
/// @param bytes its size; 0 for shared memory whose size the launch gives
/// @param index its place among the function's parameters and call arguments; 0 in other spaces
/// @param initial its first bytes; the rest is zero in global and constant memory
record Variable(String name, Space space, long base, long bytes, int index, MemorySegment initial) {

  static final MemorySegment NO_BYTES = MemorySegment.ofArray(new byte[0]).asReadOnly();

  /// Fresh memory with the initial bytes.
  MemorySegment instance() {
    MemorySegment memory = MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
    memory.copyFrom(initial);
    return memory;
  }
}
