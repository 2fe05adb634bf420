package io.tallystick.gpu.ptx;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/// The threads of a launch that share memory and barriers.
final class Block {
  private final Interpreter device;
  private final Launch launch;
  private final PtxFunction kernel;
  private final int index;
  private final Memory shared = new Memory(Space.SHARED);
  private final List<ThreadState> threads = new ArrayList<>();
  private final List<Warp> warps = new ArrayList<>();
  private final Consumer<ThreadState> readied;
  private final boolean delaysStores;
  private int live;
  private int atBarrier;

  /// @param delaysStores whether stores to global memory become visible later
  /// @param readied is told each thread that can run again
  Block(
      Interpreter device,
      Launch launch,
      PtxFunction kernel,
      int index,
      SplittableRandom random,
      boolean delaysStores,
      Consumer<ThreadState> readied) {
    this.device = device;
    this.launch = launch;
    this.kernel = kernel;
    this.index = index;
    this.delaysStores = delaysStores;
    this.readied = readied;
    for (Variable variable : device.module().shared(kernel)) {
      long bytes = variable.bytes() == 0 ? launch.sharedBytes() : variable.bytes();
      byte[] garbage = new byte[Math.toIntExact(bytes)];
      random.nextBytes(garbage);
      shared.add(variable.base(), MemorySegment.ofArray(garbage));
    }
    for (int i = 0; i < launch.threads(); i++) {
      ThreadState thread = new ThreadState(this, i, kernel, random);
      launch.arguments().copyTo(kernel, thread.frame().arguments());
      threads.add(thread);
    }
    for (int i = 0; i < threads.size(); i += Warp.LANES) {
      warps.add(new Warp(threads.subList(i, Math.min(i + Warp.LANES, threads.size()))));
    }
    this.live = threads.size();
  }

  Interpreter device() {
    return device;
  }

  PtxFunction kernel() {
    return kernel;
  }

  int index() {
    return index;
  }

  /// How many blocks the launch has.
  int blocks() {
    return launch.blocks();
  }

  /// How many threads the block has.
  int threads() {
    return threads.size();
  }

  List<ThreadState> all() {
    return threads;
  }

  Warp warp(int warp) {
    return warps.get(warp);
  }

  Memory shared() {
    return shared;
  }

  boolean delaysStores() {
    return delaysStores;
  }

  boolean isDone() {
    return live == 0;
  }

  void schedule(ThreadState thread) {
    readied.accept(thread);
  }

  /// Lets nobody beyond the barrier before every thread of the block stands at it. All must come to
  /// the same instruction, and none may have exited before: else the result is undefined.
  void arriveAtBarrier(ThreadState thread, Barrier barrier) {
    if (live < threads.size()) {
      throw thread.fault(
          Fault.DIVERGENT_BARRIER,
          (threads.size() - live) + " threads of the block exited before this barrier");
    }
    thread.stores().showAll();
    thread.await(barrier);
    atBarrier++;
    if (atBarrier < live) {
      return;
    }
    atBarrier = 0;
    for (ThreadState other : threads) {
      if (!other.awaits(barrier)) {
        throw other.fault(Fault.DIVERGENT_BARRIER, "another thread waits at another barrier");
      }
    }
    barrier.complete(threads);
    threads.forEach(ThreadState::resume);
  }

  void exited(ThreadState thread) {
    live--;
    thread.warp().exited(thread);
    if (atBarrier > 0) {
      ThreadState waiting =
          threads.stream()
              .filter(other -> other.awaited() instanceof Barrier)
              .findFirst()
              .orElseThrow();
      throw waiting.fault(
          Fault.DIVERGENT_BARRIER, "thread " + thread.index() + " exits before this barrier");
    }
  }
}
