package io.tallystick.bench.removal;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;

/// How fast does a purge erase, from its commit until all is forced, beside a sequential write of
/// as many bytes to the same disk? Each repetition fills a ledger again and purges what it
/// appended; the write follows at once.
final class PurgeCase implements MeasuredCase {
  private static final double WANTED = 0.25;
  private static final int JOURNALS_PER_SECOND = 20_000;
  private static final int BATCH = 1_000;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final double MIB = 1 << 20;

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    double[] erased = new double[run.repetitions()];
    double[] written = new double[run.repetitions()];
    double[] ratios = new double[run.repetitions()];
    try (RemovalNode node = new RemovalNode(run.home().resolve("data"))) {
      for (int i = 0; i < run.repetitions(); i++) {
        long bytes = 0;
        long first = 0;
        for (int done = 0; done < run.count(JOURNALS_PER_SECOND); done += BATCH) {
          Submission batch = node.batch(BATCH);
          bytes += RemovalNode.erasableBytes(batch);
          first = node.append(batch).receipted().get().committed().firstJsn();
        }
        long purge = node.purge();
        long from = System.nanoTime();
        node.awaitErased(first, purge);
        erased[i] = bytes / MIB * 1e9 / (System.nanoTime() - from);
        written[i] = bytes / MIB * 1e9 / write(run.home().resolve("sequential"), bytes);
        ratios[i] = erased[i] / written[i];
        run.say(
            String.format(
                Locale.ROOT,
                "  %.1f MiB: %,.0f MiB/s erased, %,.0f written",
                bytes / MIB,
                erased[i],
                written[i]));
      }
    }
    return List.of(
        BenchCase.spread("purge-erased", "MiB/s", erased),
        BenchCase.spread("purge-written", "MiB/s", written),
        BenchCase.beside("purge-ratio", ratios, "x", WANTED));
  }

  /// @return nanoseconds until the bytes are forced
  private static long write(Path file, long bytes) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    long from = System.nanoTime();
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long left = bytes; left > 0; left -= CHUNK_BYTES) {
        channel.write(chunk.clear().limit((int) Math.min(left, CHUNK_BYTES)));
      }
      channel.force(false);
    }
    long took = System.nanoTime() - from;
    Files.delete(file);
    return took;
  }
}
