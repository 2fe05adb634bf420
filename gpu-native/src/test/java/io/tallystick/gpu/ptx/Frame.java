package io.tallystick.gpu.ptx;

import org.jspecify.annotations.Nullable;

/// A function under way in one thread: its registers, its parameters and where it stands.
final class Frame {
  private static final int NO_CARRY = -1;

  private final PtxFunction function;
  private final @Nullable Frame caller;
  private final long localBase;
  private final int localsBelow;
  private final long[] registers;
  private final boolean[] written;
  private final Memory arguments = new Memory(Space.PARAM);
  private int next;
  private int carry = NO_CARRY;

  /// @param localBase where this frame's local variables begin
  /// @param localsBelow how many local variables the callers have
  Frame(PtxFunction function, @Nullable Frame caller, long localBase, int localsBelow) {
    this.function = function;
    this.caller = caller;
    this.localBase = localBase;
    this.localsBelow = localsBelow;
    this.registers = new long[function.registers()];
    this.written = new boolean[function.registers()];
    for (Variable argument : function.arguments()) {
      arguments.add(argument.base(), argument.instance());
    }
  }

  PtxFunction function() {
    return function;
  }

  @Nullable Frame caller() {
    return caller;
  }

  int localsBelow() {
    return localsBelow;
  }

  long localBase() {
    return localBase;
  }

  Memory arguments() {
    return arguments;
  }

  /// The index of the next statement.
  int next() {
    return next;
  }

  void goTo(int statement) {
    next = statement;
  }

  long addressOf(Variable variable) {
    return variable.space() == Space.LOCAL ? localBase + variable.base() : variable.base();
  }

  long read(ThreadState thread, Operand.Register register) {
    if (!written[register.slot()]) {
      throw thread.fault(
          Fault.UNINITIALISED_REGISTER, register.name() + " is read before it is written");
    }
    return registers[register.slot()];
  }

  /// What the last `.cc` instruction left: 0 or 1.
  int carry(ThreadState thread) {
    if (carry == NO_CARRY) {
      throw thread.fault(Fault.UNINITIALISED_REGISTER, "the carry is read before it is written");
    }
    return carry;
  }

  void setCarry(boolean set) {
    carry = set ? 1 : 0;
  }

  /// Keeps the low bits of `value`, as many as the register has.
  void write(Operand.Register register, long value) {
    int unused = 64 - register.bits();
    registers[register.slot()] = value << unused >>> unused;
    written[register.slot()] = true;
  }
}
