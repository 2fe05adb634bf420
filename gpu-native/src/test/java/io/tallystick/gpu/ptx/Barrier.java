package io.tallystick.gpu.ptx;

import io.tallystick.gpu.ptx.Operand.Register;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// `bar.sync` and `bar.red`: no thread of the block goes on before all of them are here. Compared
/// by identity: the same barrier is the same place in the code.
final class Barrier implements Action {
  enum Mode {
    AND,
    OR,
    POPC;

    static Mode named(String name) {
      return valueOf(name.toUpperCase(Locale.ROOT));
    }
  }

  /// One answer for all threads from a predicate of each.
  record Reduction(Mode mode, Register target, Source predicate) {
    private void apply(List<ThreadState> threads) {
      long set = threads.stream().filter(thread -> predicate.read(thread) != 0).count();
      long answer =
          switch (mode) {
            case AND -> set == threads.size() ? 1 : 0;
            case OR -> set > 0 ? 1 : 0;
            case POPC -> set;
          };
      threads.forEach(thread -> target.write(thread, answer));
    }
  }

  private final Optional<Reduction> reduction;

  Barrier(Optional<Reduction> reduction) {
    this.reduction = reduction;
  }

  @Override
  public void perform(ThreadState thread) {
    thread.block().arriveAtBarrier(thread, this);
  }

  /// @param threads all of the block; they wait here
  void complete(List<ThreadState> threads) {
    reduction.ifPresent(one -> one.apply(threads));
  }
}
