package io.tallystick.bench.figure;

import io.tallystick.crypto.Sha256;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// What an audit cannot leave out: reading the saved bytes, and per journal the hashes of body,
/// header, leaf, the leaf and node of its batch and its node of the log. On all processors, in one
/// tight loop each, and nothing else: no decoding, no comparison, no order, no signatures.
public final class AuditLimit {
  // Those of a journal of 256 B of "application/octet-stream" in a batch of 1,000.
  private static final int BODY_BYTES = 18 + 32 + 288;
  private static final int HEADER_BYTES = 98;
  private static final int LEAF_BYTES = 1 + 156;
  private static final int ENTRY_BYTES = 13 + LEAF_BYTES - 1 + 32 + 288;
  private static final int BATCH_LEAF_BYTES = 33;
  private static final int NODE_BYTES = 65;
  private static final int JOURNALS_PER_READ = 2000;

  private final Path file;
  private final long deadline;
  private final boolean bodies;
  private final MessageDigest sha = Sha256.newDigest();
  private final byte[] bytes = new byte[JOURNALS_PER_READ * ENTRY_BYTES];

  private AuditLimit(Path file, long deadline, boolean bodies) {
    this.file = file;
    this.deadline = deadline;
    this.bodies = bodies;
  }

  /// @param processorMicros of all threads per journal
  public record Measured(double journalsPerSecond, double processorMicros) {}

  /// @param bodies whether bodies are hashed; they are read in any case
  public static Measured measure(Path file, double seconds, boolean bodies) throws Exception {
    int threads = Runtime.getRuntime().availableProcessors();
    run(file, threads, seconds / 2, bodies);
    return run(file, threads, seconds, bodies);
  }

  private static Measured run(Path file, int threads, double seconds, boolean bodies)
      throws Exception {
    long processor = ThisMachine.processorNanos();
    long started = System.nanoTime();
    List<Callable<Long>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      long firstByte = Files.size(file) / threads * i;
      tasks.add(
          () -> new AuditLimit(file, started + (long) (seconds * 1e9), bodies).loop(firstByte));
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      long count = 0;
      for (Future<Long> done : pool.invokeAll(tasks)) {
        count += done.get();
      }
      double rate = count / ((System.nanoTime() - started) / 1e9);
      return new Measured(rate, (ThisMachine.processorNanos() - processor) / 1e3 / count);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private long loop(long firstByte) throws IOException {
    long count = 0;
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(firstByte);
      while (System.nanoTime() < deadline) {
        if (in.length() - in.getFilePointer() < bytes.length) {
          in.seek(0);
        }
        in.readFully(bytes, 0, (int) Math.min(bytes.length, in.length()));
        for (int i = 0; i < JOURNALS_PER_READ; i++) {
          journal(i * ENTRY_BYTES);
        }
        count += JOURNALS_PER_READ;
      }
    }
    return count;
  }

  private void journal(int at) {
    hash(at, HEADER_BYTES);
    hash(at, LEAF_BYTES);
    hash(at, BATCH_LEAF_BYTES);
    hash(at, NODE_BYTES);
    hash(at, NODE_BYTES);
    if (bodies) {
      hash(at, BODY_BYTES);
    }
  }

  private void hash(int at, int count) {
    sha.update(bytes, at, count);
    Sha256.finish(sha, bytes, at);
  }
}
