package io.tallystick.bench.service;

import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.ProofRejectedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;

/// What this machine could do at best: the work that cannot be left out, and nothing else.
final class MachineLimits {
  private static final int BATCH = 1000;
  private static final int HEADER_BYTES = 110;
  private static final int LEAF_BYTES = 170;
  private static final int NODE_BYTES = 65;
  private static final long FILE_BYTES = 256L << 20;
  private static final int CHUNK_BYTES = 4 << 20;

  private MachineLimits() {}

  /// Signatures made and verified per second, on all processors at once.
  static double signAndVerify(Signatures signatures, double seconds) throws Exception {
    int threads = Runtime.getRuntime().availableProcessors();
    List<Callable<Long>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      tasks.add(() -> signAndVerifyLoop(signatures, seconds));
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      long started = System.nanoTime();
      long count = 0;
      for (Future<Long> done : pool.invokeAll(tasks)) {
        count += done.get();
      }
      return count / ((System.nanoTime() - started) / 1e9);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private static long signAndVerifyLoop(Signatures signatures, double seconds)
      throws ProofRejectedException {
    Signer signer = signatures.generate(SignatureAlgorithm.ED25519);
    byte[] message = new byte[256];
    long deadline = System.nanoTime() + (long) (seconds * 1e9);
    long count = 0;
    while (System.nanoTime() < deadline) {
      message[(int) (count % message.length)]++;
      signatures.verify(signer.publicKey(), message, signer.sign(message));
      count++;
    }
    return count;
  }

  /// Journals per second of a bare loop on one thread: hash body, header, leaf and node, checksum,
  /// one write and one force per 1,000, into a preallocated file.
  static double bareLoop(Path directory, int payloadBytes, double seconds) throws IOException {
    Path file = Files.createTempFile(directory, "bare-loop-", ".bin");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      preallocate(channel);
      return new BareLoop(payloadBytes).run(channel, seconds);
    } finally {
      Files.delete(file);
    }
  }

  private static void preallocate(FileChannel channel) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK_BYTES);
    for (long at = 0; at < FILE_BYTES; at += CHUNK_BYTES) {
      zeros.clear();
      channel.write(zeros, at);
    }
    channel.force(true);
  }

  private static final class BareLoop {
    private final MessageDigest sha = Sha256.newDigest();
    private final CRC32C crc = new CRC32C();
    private final byte[] hash = new byte[32];
    private final byte[] payloads;
    private final byte[] scratch = new byte[LEAF_BYTES];
    private final ByteBuffer frame;
    private final int payloadBytes;

    BareLoop(int payloadBytes) {
      this.payloadBytes = payloadBytes;
      this.payloads = new byte[BATCH * payloadBytes];
      new SplittableRandom(1).nextBytes(payloads);
      this.frame = ByteBuffer.allocateDirect(BATCH * (payloadBytes + HEADER_BYTES));
    }

    double run(FileChannel channel, double seconds) throws IOException {
      long started = System.nanoTime();
      long deadline = started + (long) (seconds * 1e9);
      long journals = 0;
      long position = 0;
      while (System.nanoTime() < deadline) {
        fill();
        if (position + frame.limit() > FILE_BYTES) {
          position = 0;
        }
        position += channel.write(frame, position);
        channel.force(false);
        journals += BATCH;
      }
      return journals / ((System.nanoTime() - started) / 1e9);
    }

    private void fill() {
      frame.clear();
      for (int i = 0; i < BATCH; i++) {
        sha.update(payloads, i * payloadBytes, payloadBytes);
        Sha256.finish(sha, hash, 0);
        System.arraycopy(hash, 0, scratch, 0, hash.length);
        digest(HEADER_BYTES);
        digest(LEAF_BYTES);
        digest(NODE_BYTES);
        frame.put(scratch, 0, HEADER_BYTES).put(payloads, i * payloadBytes, payloadBytes);
      }
      frame.flip();
      crc.reset();
      crc.update(frame);
      frame.rewind();
    }

    private void digest(int count) {
      sha.update(scratch, 0, count);
      Sha256.finish(sha, hash, 0);
      System.arraycopy(hash, 0, scratch, 0, hash.length);
    }
  }
}
