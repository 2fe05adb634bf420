package io.tallystick.bench.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// The CPU's side of a ratio: work in many more equal parts than there are processors, so that none
/// waits long for the others at the end.
final class AllCores implements AutoCloseable {
  private final ExecutorService threads =
      Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());

  @FunctionalInterface
  interface Part {
    void run(int part);
  }

  /// A power of two, from 8 for each processor.
  static int parts() {
    int processors = Runtime.getRuntime().availableProcessors();
    return Integer.highestOneBit(16 * processors - 1);
  }

  void run(Part part) throws InterruptedException {
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < parts(); i++) {
      int each = i;
      running.add(threads.submit(() -> part.run(each)));
    }
    for (Future<?> each : running) {
      try {
        var _ = each.get();
      } catch (ExecutionException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void close() {
    threads.close();
  }
}
