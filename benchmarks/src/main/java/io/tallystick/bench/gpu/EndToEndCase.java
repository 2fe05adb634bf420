package io.tallystick.bench.gpu;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.HashBuffer;
import java.util.List;
import java.util.SplittableRandom;

/// RFC 9162 leaf hashes of messages of 64 bytes that lie in the memory that the device copies from,
/// to digests on the heap: two blocks of SHA-256 each, as 64 bytes alone are.
record EndToEndCase(BatchHasher hasher, int messages) implements MeasuredCase {
  private static final int MESSAGE_BYTES = 64;
  private static final double WANTED = 5;

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    byte[] bytes = new byte[messages * MESSAGE_BYTES];
    new SplittableRandom(1).nextBytes(bytes);
    Heap heap = new Heap(bytes, messages);
    try (AllCores cores = new AllCores();
        HashBuffer buffer = hasher.buffer(bytes.length)) {
      for (int i = 0; i < messages; i++) {
        buffer.put(bytes, i * MESSAGE_BYTES, MESSAGE_BYTES).endMessage();
      }
      List<BenchCase> measured =
          SideBySide.measure(
              run,
              "sha256-64-end-to-end",
              "hashes/s",
              messages,
              WANTED,
              () -> hasher.leaves(buffer),
              () -> cores.run(heap::leaves));
      heap.equal(buffer);
      return measured;
    }
  }

  /// The same messages for the CPU.
  private static final class Heap {
    private final byte[] bytes;
    private final byte[] digests;
    private final int[][] offsets;

    Heap(byte[] bytes, int messages) {
      this.bytes = bytes;
      this.digests = new byte[messages * 32];
      this.offsets = new int[AllCores.parts()][];
      for (int part = 0; part < offsets.length; part++) {
        int first = (int) ((long) messages * part / offsets.length);
        int end = (int) ((long) messages * (part + 1) / offsets.length);
        offsets[part] = new int[end - first + 1];
        for (int i = 0; i <= end - first; i++) {
          offsets[part][i] = (first + i) * MESSAGE_BYTES;
        }
      }
    }

    void leaves(int part) {
      int[] own = offsets[part];
      BatchHasher.cpu().leaves(bytes, own, own.length - 1, digests, own[0] / 2);
    }

    void equal(HashBuffer buffer) {
      byte[] theirs = new byte[digests.length];
      buffer.digests(theirs, 0);
      Digests.equal(theirs, digests);
    }
  }
}
