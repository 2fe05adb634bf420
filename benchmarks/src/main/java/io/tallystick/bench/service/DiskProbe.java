package io.tallystick.bench.service;

import io.tallystick.bench.figure.Latencies;
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

/// What a forced page takes while something else is measured on the same disk: one in a hundredth
/// of a second, into a file of its own. Latency counts from when the page was due, so that a stall
/// is charged to all that it delays, as it is for a service's calls; a disk that cannot force a
/// hundred pages a second falls behind for good. What keeps this process from running counts, too.
final class DiskProbe implements AutoCloseable {
  private static final int PAGE_BYTES = 4096;
  private static final int PAGES = 1024;
  private static final long INTERVAL_NANOS = 10_000_000;

  private final Path file;
  private final FileChannel channel;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("disk-probe").factory());
  private final Future<Latencies> probing;
  private volatile boolean stopped;

  private DiskProbe(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
    this.probing = thread.submit(this::probe);
  }

  /// The file is made and forced before this returns: its own making is not part of the
  /// measurement.
  ///
  /// @param directory on the disk that is asked
  static DiskProbe start(Path directory) throws IOException {
    Path file = Files.createTempFile(directory, "disk-probe-", ".bin");
    FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
    try {
      channel.write(ByteBuffer.allocate(PAGES * PAGE_BYTES), 0);
      channel.force(true);
    } catch (IOException e) {
      channel.close();
      Files.delete(file);
      throw e;
    }
    return new DiskProbe(file, channel);
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
    return Latencies.of(nanos.build());
  }

  @Override
  public void close() throws IOException {
    stopped = true;
    thread.close();
    channel.close();
    Files.deleteIfExists(file);
  }
}
