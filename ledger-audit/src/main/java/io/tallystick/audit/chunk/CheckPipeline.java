package io.tallystick.audit.chunk;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One thread reads chunks, several check them, and the caller gets them in the order of the log.
/// The queue bounds how many are in memory. Used by one thread.
public final class CheckPipeline implements AutoCloseable {
  private static final int CHUNKS_PER_THREAD = 2;
  private static final long WAIT_MILLIS = 5_000;

  private final ChunkReader chunks;
  private final AuditContext context;
  private final Queue<ChunkScan> idle = new ConcurrentLinkedQueue<>(); // no more than workers
  private final ExecutorService workers;
  private final BlockingQueue<Future<Step>> queue;
  private final Thread reader;
  private boolean done;

  /// A checked chunk and whether it was the last.
  private record Step(CheckedChunk checked, boolean last) {}

  public CheckPipeline(ChunkReader chunks, Chunk first, AuditContext context, int threads) {
    this.chunks = chunks;
    this.context = context;
    this.workers =
        Executors.newFixedThreadPool(
            threads, Thread.ofPlatform().daemon().name("audit-check-", 0).factory());
    this.queue = new ArrayBlockingQueue<>(threads * CHUNKS_PER_THREAD + 1);
    this.reader = Thread.ofPlatform().daemon().name("audit-read").start(() -> read(first));
  }

  private void read(Chunk first) {
    try {
      Chunk chunk = first;
      while (chunk != null) {
        submit(chunk);
        chunk = chunk.last() ? null : nextChunk();
      }
    } catch (InterruptedException e) {
      // The audit has ended before the log; nobody waits for more.
      Thread.currentThread().interrupt();
    }
  }

  /// @return null if the source failed; the failure is in the queue then
  private @Nullable Chunk nextChunk() throws InterruptedException {
    try {
      return chunks.next();
    } catch (IOException | RuntimeException | Error e) {
      queue.put(CompletableFuture.failedFuture(e));
      return null;
    }
  }

  private void submit(Chunk chunk) throws InterruptedException {
    queue.put(workers.submit(() -> check(chunk)));
  }

  private Step check(Chunk chunk) {
    CheckedChunk scanned = scan(chunk);
    CheckedChunk checked = scanned != null ? scanned : ChunkCheck.check(chunk, context);
    chunks.recycle(chunk.entries());
    return new Step(checked, chunk.last());
  }

  private @Nullable CheckedChunk scan(Chunk chunk) {
    ChunkScan known = idle.poll();
    ChunkScan scan = known == null ? new ChunkScan(context) : known;
    try {
      return scan.check(chunk);
    } finally {
      idle.add(scan);
    }
  }

  public boolean hasNext() {
    return !done;
  }

  /// @throws IOException if the source of the log failed
  public CheckedChunk next() throws IOException, InterruptedException {
    try {
      Step step = queue.take().get();
      done = step.last();
      return step.checked();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failed) {
        throw failed; // as the source threw it: its type says what to do
      }
      throw new IllegalStateException("a check failed to run", e);
    }
  }

  @Override
  public void close() {
    reader.interrupt();
    workers.shutdownNow();
    try {
      reader.join(WAIT_MILLIS);
      if (workers.awaitTermination(WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
        idle.forEach(ChunkScan::close);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
