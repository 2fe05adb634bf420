package io.tallystick.gpu.ptx;

import java.util.List;

/// What stands after an opcode.
sealed interface Operand {

  /// An operand with a value.
  sealed interface Value extends Operand {
    /// The bits, zero-extended from a register's width; an immediate's as written.
    long read(ThreadState thread);
  }

  /// @param bits 1 for a predicate, 16, 32 or 64
  /// @param slot its place in the frame
  record Register(String name, int bits, int slot) implements Value {
    @Override
    public long read(ThreadState thread) {
      return thread.frame().read(thread, this);
    }

    void write(ThreadState thread, long value) {
      thread.frame().write(this, value);
    }
  }

  record Immediate(long value) implements Value {
    @Override
    public long read(ThreadState thread) {
      return value;
    }
  }

  record Special(SpecialRegister register) implements Value {
    @Override
    public long read(ThreadState thread) {
      return register.of(thread);
    }
  }

  record VariableAddress(Variable variable) implements Value {
    @Override
    public long read(ThreadState thread) {
      return thread.frame().addressOf(variable);
    }
  }

  record Negated(Register predicate) implements Value {
    @Override
    public long read(ThreadState thread) {
      return predicate.read(thread) ^ 1;
    }
  }

  /// `[base+offset]`.
  record Location(Value base, long offset) implements Operand {
    long address(ThreadState thread) {
      return base.read(thread) + offset;
    }
  }

  record Vector(List<Value> elements) implements Operand {}

  /// `d|p`: a value and a predicate.
  record Pair(Register value, Register predicate) implements Operand {}

  record Name(String text) implements Operand {}
}
