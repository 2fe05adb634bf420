package io.tallystick.gpu.ptx;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// One thread of a launch.
final class ThreadState {
  private static final int CALL_DEPTH_MAX = 64;
  private static final long LOCAL_FIRST = 0x100;

  enum Progress {
    READY,
    /// Stands at a barrier or at a warp-wide instruction.
    WAITING,
    EXITED
  }

  private final Block block;
  private final int index;
  private final Memory local = new Memory(Space.LOCAL);
  private final SplittableRandom random;
  private final StoreBuffer stores;
  private Frame frame;
  private int depth = 1;
  private int line;
  private Progress progress = Progress.READY;
  private @Nullable Action awaited;
  private boolean seen;

  /// @param index in its block
  /// @param random fills local memory, which has no defined contents at first
  ThreadState(Block block, int index, PtxFunction kernel, SplittableRandom random) {
    this.block = block;
    this.index = index;
    this.random = random;
    this.stores = new StoreBuffer(this, block.device().global(), random);
    this.frame = enter(kernel, null, LOCAL_FIRST);
  }

  private Frame enter(PtxFunction function, @Nullable Frame caller, long localBase) {
    Frame entered = new Frame(function, caller, localBase, local.count());
    for (Variable variable : function.locals()) {
      byte[] garbage = new byte[Math.toIntExact(variable.bytes())];
      random.nextBytes(garbage);
      local.add(localBase + variable.base(), MemorySegment.ofArray(garbage));
    }
    return entered;
  }

  Block block() {
    return block;
  }

  int index() {
    return index;
  }

  int lane() {
    return index % Warp.LANES;
  }

  Warp warp() {
    return block.warp(index / Warp.LANES);
  }

  StoreBuffer stores() {
    return stores;
  }

  Frame frame() {
    return frame;
  }

  boolean isReady() {
    return progress == Progress.READY;
  }

  boolean hasExited() {
    return progress == Progress.EXITED;
  }

  /// Whether this thread waits at `action`.
  boolean awaits(Action action) {
    return Objects.equals(awaited, action);
  }

  /// Whether this thread can run and stands before the statement that `other` has just begun.
  boolean isAboutToJoin(ThreadState other) {
    return isReady()
        && frame.function().name().equals(other.frame.function().name())
        && frame.next() == other.frame.next() - 1;
  }

  @Nullable Action awaited() {
    return awaited;
  }

  /// The statement that comes next; none after the last one.
  Statement nextStatement() {
    List<Statement> code = frame.function().code();
    if (frame.next() >= code.size()) {
      throw fault(Fault.TRAP, "runs beyond the end of " + frame.function().name());
    }
    return code.get(frame.next());
  }

  /// Executes one instruction.
  void step() {
    Statement statement = nextStatement();
    line = statement.line();
    frame.goTo(frame.next() + 1);
    statement.execute(this);
  }

  /// What the last instructions did can be seen by other threads: a point to switch.
  void markSeen() {
    seen = true;
  }

  boolean takeSeen() {
    boolean was = seen;
    seen = false;
    return was;
  }

  void await(Action action) {
    progress = Progress.WAITING;
    awaited = action;
  }

  void resume() {
    progress = Progress.READY;
    awaited = null;
    seen = true;
    block.schedule(this);
  }

  void exit() {
    progress = Progress.EXITED;
    block.exited(this);
  }

  void call(PtxFunction callee, List<Variable> arguments) {
    if (++depth > CALL_DEPTH_MAX) {
      throw fault(Fault.CALL_DEPTH, "calls deeper than " + CALL_DEPTH_MAX);
    }
    Frame caller = frame;
    frame = enter(callee, caller, caller.localBase() + caller.function().localBytes());
    for (int i = 0; i < arguments.size(); i++) {
      MemorySegment passed = caller.arguments().object(arguments.get(i).index());
      frame.arguments().object(callee.parameters().get(i).index()).copyFrom(passed);
    }
  }

  /// Leaves the function; from the kernel, exits.
  void leave() {
    Frame left = frame;
    Frame caller = left.caller();
    if (caller == null) {
      exit();
      return;
    }
    depth--;
    local.truncate(left.localsBelow());
    frame = caller;
    Action call = caller.function().code().get(caller.next() - 1).action();
    if (call instanceof Action.Call(String name, List<Variable> arguments, List<Variable> results)
        && !results.isEmpty()) {
      MemorySegment result = left.arguments().object(left.function().results().getFirst().index());
      caller.arguments().object(results.getFirst().index()).copyFrom(result);
    }
  }

  /// The memory in which `address` of `space` lies; a generic address decides by itself.
  Memory memory(Space space, long address) {
    Space actual = space == Space.GENERIC ? Space.ofGeneric(address) : space;
    return switch (actual) {
      case GLOBAL, GENERIC -> block.device().global();
      case CONST -> block.device().constants();
      case SHARED -> block.shared();
      case LOCAL -> local;
      case PARAM -> frame.arguments();
    };
  }

  /// A fault at the instruction that this thread has begun last.
  KernelFaultException fault(Fault fault, String what) {
    return new KernelFaultException(
        fault,
        line,
        String.format(
            Locale.ROOT,
            "%s: %s, block %d, thread %d, line %d: %s",
            fault,
            block.kernel().name(),
            block.index(),
            index,
            line,
            what));
  }
}
