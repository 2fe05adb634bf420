package io.tallystick.gpu.ptx;

import java.util.Optional;

/// One instruction, decoded.
///
/// @param line of the PTX, from 1
/// @param guard the predicate without which the instruction does nothing
record Statement(int line, Optional<Operand.Value> guard, Action action) {
  boolean isOn(ThreadState thread) {
    return guard.isEmpty() || guard.get().read(thread) != 0;
  }

  void execute(ThreadState thread) {
    if (isOn(thread)) {
      action.perform(thread);
    }
  }
}
