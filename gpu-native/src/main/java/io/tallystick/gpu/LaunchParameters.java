package io.tallystick.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Parameters of a launch, as the driver reads them: an array of their addresses. It is filled anew
/// for each launch. One thread's at a time.
final class LaunchParameters {
  private static final int PARAMETERS_MAX = 32;

  private final MemorySegment values;
  private final MemorySegment addresses;
  private int count;

  LaunchParameters() {
    Arena arena = Arena.ofAuto();
    values = arena.allocate(ValueLayout.JAVA_LONG, PARAMETERS_MAX);
    addresses = arena.allocate(ValueLayout.JAVA_LONG, PARAMETERS_MAX);
    for (int i = 0; i < PARAMETERS_MAX; i++) {
      addresses.setAtIndex(ValueLayout.JAVA_LONG, i, values.address() + (long) i * Long.BYTES);
    }
  }

  /// Forgets all.
  LaunchParameters clear() {
    count = 0;
    return this;
  }

  LaunchParameters pointer(long address) {
    values.setAtIndex(ValueLayout.JAVA_LONG, count++, address);
    return this;
  }

  LaunchParameters word(int value) {
    values.set(ValueLayout.JAVA_INT, (long) count++ * Long.BYTES, value);
    return this;
  }

  MemorySegment addresses() {
    return addresses;
  }
}
