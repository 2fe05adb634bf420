package io.tallystick.cli.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/// What the disk alone takes while something else is measured: one page in a hundredth of a second,
/// written and forced into a file of its own. Latency counts from when the page was due, so that a
/// stall is charged to all that it delays, as it is for a service's calls.
final class DiskProbe implements AutoCloseable {
  private static final int PAGE_BYTES = 4096;
  private static final int PAGES = 1024;
  private static final long INTERVAL_NANOS = 10_000_000;

  private final Path file;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("disk-probe").factory());
  private final Future<Latencies> probing;
  private volatile boolean stopped;

  private DiskProbe(Path file) {
    this.file = file;
    this.probing = thread.submit(this::probe);
  }

  /// @param directory on the disk that is asked
  static DiskProbe start(Path directory) throws IOException {
    return new DiskProbe(Files.createTempFile(directory, "disk-probe-", ".bin"));
  }

  /// Ends it after the page that is under way; there has been one at least.
  ///
  /// @throws IOException if a page could not be written or forced
  Latencies stop() throws IOException, InterruptedException {
    stopped = true;
    try {
      return probing.get();
    } catch (ExecutionException e) {
      throw new IOException("cannot ask the disk beside the service", e.getCause());
    }
  }

  private Latencies probe() throws IOException {
    LongStream.Builder nanos = LongStream.builder();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(PAGES * PAGE_BYTES), 0);
      channel.force(true);
      ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);
      long due = System.nanoTime();
      for (int i = 0; i == 0 || !stopped; i++) {
        for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
          LockSupport.parkNanos(wait);
        }
        channel.write(page.putInt(0, i).rewind(), (long) (i % PAGES) * PAGE_BYTES);
        channel.force(false);
        nanos.add(System.nanoTime() - due);
        due += INTERVAL_NANOS;
      }
    }
    return Latencies.of(nanos.build());
  }

  @Override
  public void close() throws IOException {
    stopped = true;
    thread.close();
    Files.deleteIfExists(file);
  }
}
