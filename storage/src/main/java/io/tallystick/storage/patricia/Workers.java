package io.tallystick.storage.patricia;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Fixed platform threads that share the items of a loop. The caller is one of the workers; a short
/// loop is the caller's alone. One loop at a time.
public final class Workers implements AutoCloseable {
  private static final int CHUNK_MIN = 32;
  private static final int CHUNKS_PER_WORKER = 8;

  private final int count;
  private final @Nullable ExecutorService others;

  /// A part of a loop; the parts of one loop may run at once.
  @FunctionalInterface
  public interface Part {
    /// Works on items `[from, to)`.
    ///
    /// @param worker number of the worker, from 0
    void run(int worker, int from, int to) throws IOException, CorruptStreamException;
  }

  /// @param count of workers, the caller among them
  public Workers(int count, String name) {
    if (count < 1) {
      throw new IllegalArgumentException(count + " workers, want at least 1");
    }
    this.count = count;
    this.others =
        count == 1
            ? null
            : Executors.newFixedThreadPool(
                count - 1, Thread.ofPlatform().name(name + "-", 1).daemon().factory());
  }

  public int count() {
    return count;
  }

  /// Runs `part` over `[0, items)`, which are of some 100 ns each or more.
  ///
  /// @throws IOException the first failure of any part, as the checked and unchecked others are
  public void run(int items, Part part) throws IOException, CorruptStreamException {
    run(items, CHUNK_MIN, part);
  }

  /// Runs `part` over `[0, items)`, at least `chunkMin` of them at a time; no more than that are
  /// the caller's alone.
  ///
  /// @throws IOException the first failure of any part, as the checked and unchecked others are
  public void run(int items, int chunkMin, Part part) throws IOException, CorruptStreamException {
    if (others == null || items <= chunkMin) {
      part.run(0, 0, items);
      return;
    }
    new Loop(items, Math.max(chunkMin, items / (count * CHUNKS_PER_WORKER)), part).run(others);
  }

  private final class Loop {
    private final int items;
    private final int chunk;
    private final Part part;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private Loop(int items, int chunk, Part part) {
      this.items = items;
      this.chunk = chunk;
      this.part = part;
    }

    private void run(ExecutorService pool) throws IOException, CorruptStreamException {
      int helpers = Math.min(count - 1, (items - 1) / chunk);
      CountDownLatch done = new CountDownLatch(helpers);
      for (int i = 1; i <= helpers; i++) {
        int worker = i;
        pool.execute(() -> {
          work(worker);
          done.countDown();
        });
      }
      work(0);
      awaitAll(done);
      Throwable failed = failure.get();
      switch (failed) {
        case null -> {}
        case IOException e -> throw e;
        case CorruptStreamException e -> throw e;
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new IllegalStateException("a worker failed: " + failed, failed);
      }
    }

    private void work(int worker) {
      try {
        int from = next.getAndAdd(chunk);
        while (from < items && failure.get() == null) {
          part.run(worker, from, Math.min(items, from + chunk));
          from = next.getAndAdd(chunk);
        }
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      }
    }

    /// Nodes are being changed until all are done: an interrupt is kept for later.
    private static void awaitAll(CountDownLatch done) {
      boolean interrupted = false;
      while (done.getCount() > 0) {
        try {
          done.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Ends the threads.
  @Override
  public void close() {
    if (others != null) {
      others.shutdown();
      try {
        others.awaitTermination(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
