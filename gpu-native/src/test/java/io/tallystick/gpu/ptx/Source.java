package io.tallystick.gpu.ptx;

/// A value operand that is read as one type.
record Source(Operand.Value value, ScalarType type) {
  long read(ThreadState thread) {
    return type.of(value.read(thread));
  }
}
