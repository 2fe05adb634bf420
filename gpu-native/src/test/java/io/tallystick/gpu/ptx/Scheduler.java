package io.tallystick.gpu.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Runs the threads of a launch by turns, in an order drawn from its seed. A turn ends when the
/// thread waits or exits, or after as many accesses to global or shared memory as were drawn:
/// between two such points a thread does nothing that another one could see. Blocks begin in a
/// drawn order, and a drawn number of them is under way at a time. In half of all orders, stores to
/// global memory become visible late: a missing fence shows.
final class Scheduler {
  private static final int BLOCKS_AT_A_TIME_MAX = 4;
  private static final int TURNS_HIDDEN = 8;
  private static final List<Integer> TURNS = List.of(1, 2, 8, 64);

  private final Interpreter device;
  private final Launch launch;
  private final PtxFunction kernel;
  private final SplittableRandom random;
  private final List<ThreadState> ready = new ArrayList<>();
  private final List<Integer> waitingBlocks = new ArrayList<>();
  private final List<Block> running = new ArrayList<>();
  private final int blocksAtATime;
  private final int accessesMax;
  private final boolean delaysStores;
  private @Nullable ThreadState current;
  private long executed;

  Scheduler(Interpreter device, Launch launch, PtxFunction kernel) {
    this.device = device;
    this.launch = launch;
    this.kernel = kernel;
    this.random = new SplittableRandom(launch.seed());
    this.blocksAtATime = 1 + random.nextInt(BLOCKS_AT_A_TIME_MAX);
    this.accessesMax = TURNS.get(random.nextInt(TURNS.size()));
    this.delaysStores = random.nextBoolean();
    for (int block = 0; block < launch.blocks(); block++) {
      waitingBlocks.add(random.nextInt(block + 1), block);
    }
  }

  long executed() {
    return executed;
  }

  void run() {
    beginBlocks();
    while (!running.isEmpty()) {
      if (ready.isEmpty()) {
        throw deadlock();
      }
      int drawn = random.nextInt(ready.size());
      ThreadState thread = ready.get(drawn);
      current = thread;
      turn(thread, 1 + random.nextInt(accessesMax));
      showAStore();
      if (!thread.isReady()) {
        forget(thread, drawn);
      }
    }
  }

  /// No store stays hidden for ever.
  private void showAStore() {
    if (delaysStores && random.nextInt(TURNS_HIDDEN) == 0) {
      List<ThreadState> threads = running.get(random.nextInt(running.size())).all();
      threads.get(random.nextInt(threads.size())).stores().showOne();
    }
  }

  private void turn(ThreadState thread, int accesses) {
    int left = accesses;
    boolean first = true;
    while (thread.isReady() && left > 0) {
      if (!first && thread.nextStatement().action() instanceof Action.ActiveMask) {
        return;
      }
      first = false;
      thread.step();
      if (++executed > launch.instructionsMax()) {
        throw thread.fault(
            Fault.INSTRUCTION_LIMIT, "more than " + launch.instructionsMax() + " instructions");
      }
      if (thread.takeSeen()) {
        left--;
      }
    }
  }

  /// A thread that waits and goes on within its own turn is still among the ready ones.
  private void resumed(ThreadState thread) {
    if (thread != current) {
      ready.add(thread);
    }
  }

  /// Takes a thread that waits or has exited off the ready ones.
  private void forget(ThreadState thread, int index) {
    ThreadState last = ready.removeLast();
    if (index < ready.size()) {
      ready.set(index, last);
    }
    if (thread.hasExited() && thread.block().isDone()) {
      thread.block().all().forEach(exited -> exited.stores().showAll());
      running.remove(thread.block());
      beginBlocks();
    }
  }

  private void beginBlocks() {
    while (running.size() < blocksAtATime && !waitingBlocks.isEmpty()) {
      int index = waitingBlocks.removeLast();
      Block block = new Block(device, launch, kernel, index, random, delaysStores, this::resumed);
      running.add(block);
      ready.addAll(block.all());
    }
  }

  private KernelFaultException deadlock() {
    ThreadState waiting =
        running.getFirst().all().stream()
            .filter(thread -> !thread.hasExited())
            .findFirst()
            .orElseThrow();
    return waiting.fault(Fault.DEADLOCK, "waits for lanes or threads that wait elsewhere");
  }
}
