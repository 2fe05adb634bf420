package io.tallystick.gpu.ptx;

import io.tallystick.gpu.ptx.Operand.Register;
import java.util.List;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/// What an instruction does to the thread that executes it.
sealed interface Action
    permits Action.Unary,
        Action.Binary,
        Action.Divide,
        Action.Ternary,
        Action.Carry,
        Action.InsertField,
        Action.Unpack,
        Action.Pack,
        Action.Load,
        Action.Store,
        Action.Atomic,
        Action.Fence,
        Action.Branch,
        Action.Call,
        Action.Return,
        Action.Exit,
        Action.Trap,
        Action.ActiveMask,
        Action.WarpWide,
        Barrier {
  void perform(ThreadState thread);

  interface TernaryOperator {
    long apply(long a, long b, long c);
  }

  record Unary(Register target, Source a, LongUnaryOperator operator) implements Action {
    @Override
    public void perform(ThreadState thread) {
      target.write(thread, operator.applyAsLong(a.read(thread)));
    }
  }

  record Binary(Register target, Source a, Source b, LongBinaryOperator operator)
      implements Action {
    @Override
    public void perform(ThreadState thread) {
      target.write(thread, operator.applyAsLong(a.read(thread), b.read(thread)));
    }
  }

  /// A quotient or remainder; a divisor of zero is refused.
  record Divide(Register target, Source a, Source b, LongBinaryOperator operator)
      implements Action {
    @Override
    public void perform(ThreadState thread) {
      long divisor = b.read(thread);
      if (divisor == 0) {
        throw thread.fault(Fault.DIVISION_BY_ZERO, "the divisor is 0");
      }
      target.write(thread, operator.applyAsLong(a.read(thread), divisor));
    }
  }

  record Ternary(Register target, Source a, Source b, Source c, TernaryOperator operator)
      implements Action {
    @Override
    public void perform(ThreadState thread) {
      target.write(thread, operator.apply(a.read(thread), b.read(thread), c.read(thread)));
    }
  }

  /// A sum or difference of unsigned values that takes or leaves a carry (PTX ISA section 9.7.2).
  record Carry(
      Register target, Source a, Source b, boolean subtracts, boolean takes, boolean leaves)
      implements Action {
    @Override
    public void perform(ThreadState thread) {
      long left = a.read(thread);
      long right = b.read(thread);
      long carry = takes ? thread.frame().carry(thread) : 0;
      long result = subtracts ? left - right - carry : left + right + carry;
      if (leaves) {
        int order = Long.compareUnsigned(a.type().of(result), left);
        thread.frame().setCarry(order == 0 ? carry != 0 : order > 0 == subtracts);
      }
      target.write(thread, result);
    }
  }

  /// `bfi`: the low bits of `field`, put over those of `into`.
  record InsertField(Register target, Source field, Source into, Source position, Source length)
      implements Action {
    @Override
    public void perform(ThreadState thread) {
      long at = position.read(thread) & 0xff;
      long bits = length.read(thread) & 0xff;
      long mask = at >= 64 ? 0 : Bits.low(bits) << at;
      long moved = at >= 64 ? 0 : field.read(thread) << at;
      target.write(thread, (into.read(thread) & ~mask) | (moved & mask));
    }
  }

  /// `mov` from one register to several, the low bits first.
  record Unpack(List<Register> targets, Source whole) implements Action {
    @Override
    public void perform(ThreadState thread) {
      long rest = whole.read(thread);
      for (Register target : targets) {
        target.write(thread, rest);
        rest >>>= target.bits();
      }
    }
  }

  /// `mov` from several registers to one, the low bits first.
  record Pack(Register target, List<Source> parts) implements Action {
    @Override
    public void perform(ThreadState thread) {
      long whole = 0;
      int at = 0;
      for (Source part : parts) {
        whole |= part.read(thread) << at;
        at += part.type().bits();
      }
      target.write(thread, whole);
    }
  }

  /// @param targets more than one for a vector
  record Load(Space space, ScalarType type, List<Register> targets, Operand.Location location)
      implements Action {
    @Override
    public void perform(ThreadState thread) {
      Access access = Access.of(thread, space, location, type.bytes() * targets.size());
      long address = access.address();
      access.showOwn(thread, type.bytes() * targets.size());
      for (Register target : targets) {
        target.write(thread, type.of(access.memory().load(thread, address, type.bytes())));
        address += type.bytes();
      }
    }
  }

  /// @param sources more than one for a vector
  /// @param releases whether what the thread stored before becomes visible before this
  record Store(
      Space space,
      ScalarType type,
      Operand.Location location,
      List<Source> sources,
      boolean releases)
      implements Action {
    @Override
    public void perform(ThreadState thread) {
      if (releases) {
        thread.stores().showAll();
      }
      Access access = Access.of(thread, space, location, type.bytes() * sources.size());
      long address = access.address();
      for (Source source : sources) {
        access.store(thread, address, type.bytes(), source.read(thread));
        address += type.bytes();
      }
    }
  }

  /// Reads, computes and writes in one step, and yields what was read.
  ///
  /// @param target empty for `red`
  /// @param operator of the old value and the operands; with one operand, the third value is 0
  /// @param releases as of a store
  record Atomic(
      Space space,
      ScalarType type,
      List<Register> target,
      Operand.Location location,
      List<Source> operands,
      TernaryOperator operator,
      boolean releases)
      implements Action {
    @Override
    public void perform(ThreadState thread) {
      if (releases) {
        thread.stores().showAll();
      }
      int bytes = type.bytes();
      Access access = Access.of(thread, space, location, bytes);
      access.showOwn(thread, bytes);
      long old = type.of(access.memory().load(thread, access.address(), bytes));
      long first = operands.getFirst().read(thread);
      long second = operands.size() > 1 ? operands.get(1).read(thread) : 0;
      long next = operator.apply(old, first, second);
      access.memory().store(thread, access.address(), bytes, next);
      target.forEach(register -> register.write(thread, old));
    }
  }

  /// `membar`, `fence`: what the thread has stored becomes visible, to all whatever the scope.
  record Fence() implements Action {
    @Override
    public void perform(ThreadState thread) {
      thread.stores().showAll();
      thread.markSeen();
    }
  }

  /// @param statement the index at which the label stands
  record Branch(int statement) implements Action {
    @Override
    public void perform(ThreadState thread) {
      thread.frame().goTo(statement);
    }
  }

  /// @param arguments variables of the caller
  /// @param results at most one
  record Call(String function, List<Variable> arguments, List<Variable> results) implements Action {
    @Override
    public void perform(ThreadState thread) {
      thread.call(thread.block().device().module().function(function), arguments);
    }
  }

  record Return() implements Action {
    @Override
    public void perform(ThreadState thread) {
      thread.leave();
    }
  }

  record Exit() implements Action {
    @Override
    public void perform(ThreadState thread) {
      thread.exit();
    }
  }

  record Trap() implements Action {
    @Override
    public void perform(ThreadState thread) {
      throw thread.fault(Fault.TRAP, "the kernel gave up");
    }
  }

  /// The lanes that stand at this instruction at this moment: at least the thread's own, which is
  /// all that a device promises.
  record ActiveMask(Register target) implements Action {
    @Override
    public void perform(ThreadState thread) {
      thread.warp().activate(thread, target);
    }
  }

  /// An instruction that the lanes of a mask execute together. Compared by identity, as a barrier
  /// is.
  non-sealed interface WarpWide extends Action {
    int mask(ThreadState thread);

    /// @param lanes those that the mask names, in order; they wait, so their registers stand still
    void complete(List<ThreadState> lanes, int mask);

    @Override
    default void perform(ThreadState thread) {
      thread.warp().arrive(thread, this);
    }
  }
}
