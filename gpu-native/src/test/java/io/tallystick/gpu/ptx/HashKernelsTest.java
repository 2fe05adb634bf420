package io.tallystick.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.BatchHasher;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the PTX that is committed hashes as the CPU does, and does nothing that is undefined on a
/// device. Method: each kernel in the interpreter, at every length up to beyond the second padding
/// bound and at every alignment, in memory that ends with the last message; several orders of
/// threads.
class HashKernelsTest {
  private static final PtxModule MODULE = Programs.compiled("/io/tallystick/gpu/tallystick");
  private static final BatchHasher CPU = BatchHasher.cpu();
  private static final int DIGEST_BYTES = 32;
  private static final int BLOCK_THREADS = 64;
  private static final int NO_PREFIX = 0x100;
  private static final int LEAF_PREFIX = 0;

  /// `count` random messages, the first of `first` bytes, each one byte longer than the one before,
  /// one behind the other from `origin` on.
  private record Batch(int first, int count, int origin) {
    int[] offsets() {
      int[] offsets = new int[count + 1];
      offsets[0] = origin;
      for (int i = 0; i < count; i++) {
        offsets[i + 1] = offsets[i] + first + i;
      }
      return offsets;
    }

    /// What the kernel gets: the bytes from `origin` on, to a multiple of 4.
    byte[] memory() {
      byte[] memory = new byte[(offsets()[count] - origin + 3) / 4 * 4];
      new SplittableRandom(first).nextBytes(memory);
      return memory;
    }

    byte[] messages() {
      byte[] memory = memory();
      byte[] messages = new byte[origin + memory.length];
      System.arraycopy(memory, 0, messages, origin, memory.length);
      return messages;
    }
  }

  private static void launch(
      Interpreter device, String kernel, int threads, Arguments arguments, long seed) {
    int blocks = (threads + BLOCK_THREADS - 1) / BLOCK_THREADS;
    device.launch(Launch.of(kernel, blocks, BLOCK_THREADS, arguments).withSeed(seed));
  }

  private static byte[] hash(String kernel, Batch batch, int prefix, long seed) {
    byte[] digests = new byte[DIGEST_BYTES * batch.count()];
    Interpreter device = new Interpreter(MODULE);
    Arguments arguments =
        new Arguments()
            .u64(device.map(MemorySegment.ofArray(batch.memory())))
            .u64(device.map(MemorySegment.ofArray(batch.offsets())))
            .u32(batch.origin())
            .u32(batch.count());
    if (kernel.equals("sha256")) {
      arguments.u32(prefix);
    }
    arguments.u64(device.map(MemorySegment.ofArray(digests)));
    launch(device, kernel, batch.count(), arguments, seed);
    return digests;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7})
  void sha256OfAnyLength(int origin) {
    Batch batch = new Batch(0, 140, origin);
    byte[] want = new byte[DIGEST_BYTES * batch.count()];
    CPU.sha256(batch.messages(), batch.offsets(), batch.count(), want, 0);
    assertThat(hash("sha256", batch, NO_PREFIX, origin)).isEqualTo(want);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7})
  void leavesOfAnyLength(int origin) {
    Batch batch = new Batch(0, 140, origin);
    byte[] want = new byte[DIGEST_BYTES * batch.count()];
    CPU.leaves(batch.messages(), batch.offsets(), batch.count(), want, 0);
    assertThat(hash("sha256", batch, LEAF_PREFIX, origin)).isEqualTo(want);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 66", "7, 135", "3, 260"})
  void keccak256OfAnyLength(int origin, int first) {
    Batch batch = new Batch(first, 80, origin);
    byte[] want = new byte[DIGEST_BYTES * batch.count()];
    CPU.keccak256(batch.messages(), batch.offsets(), batch.count(), want, 0);
    assertThat(hash("keccak256", batch, NO_PREFIX, origin)).isEqualTo(want);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4, 32, 55, 56, 63, 64, 65, 119, 120, 128, 201})
  void sha256OfEqualLength(int stride) {
    int count = 70;
    byte[] messages = new byte[(count * stride + 3) / 4 * 4];
    new SplittableRandom(stride).nextBytes(messages);
    byte[] digests = new byte[DIGEST_BYTES * count];
    Interpreter device = new Interpreter(MODULE);
    Arguments arguments =
        new Arguments()
            .u64(device.map(MemorySegment.ofArray(messages)))
            .u32(stride)
            .u32(count)
            .u64(device.map(MemorySegment.ofArray(digests)));
    launch(device, "sha256_strided", count, arguments, stride);
    byte[] want = new byte[DIGEST_BYTES * count];
    CPU.sha256(messages, 0, stride, count, want, 0);
    assertThat(digests).isEqualTo(want);
  }

  /// Up to 7 levels fit a block of 64 threads, up to 9 the largest block.
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 3", "1, 65", "2, 5", "3, 17", "5, 6", "6, 3", "7, 1", "7, 3", "9, 1"})
  void subtrees(int levels, int count) {
    int width = 1 << levels;
    byte[] leaves = new byte[DIGEST_BYTES * width * count];
    new SplittableRandom(levels).nextBytes(leaves);
    byte[] want = new byte[DIGEST_BYTES * (width - 1) * count];
    CPU.subtrees(leaves, 0, width, count, want, 0);
    for (int seed = 0; seed < 4; seed++) {
      byte[] nodes = new byte[want.length];
      Interpreter device = new Interpreter(MODULE);
      Arguments arguments =
          new Arguments()
              .u64(device.map(MemorySegment.ofArray(leaves)))
              .u32(width * count)
              .u32(levels)
              .u64(device.map(MemorySegment.ofArray(nodes)));
      int threads = Math.max(BLOCK_THREADS, width / 2);
      int blocks = (width * count / 2 + threads - 1) / threads;
      device.launch(Launch.of("rfc9162_subtrees", blocks, threads, arguments).withSeed(seed));
      assertThat(nodes).as("seed %d", seed).isEqualTo(want);
    }
  }

  @Test
  void aCountBeyondMemoryIsRefused() {
    Interpreter device = new Interpreter(MODULE);
    Arguments arguments =
        new Arguments()
            .u64(device.map(MemorySegment.ofArray(new byte[3 * 64])))
            .u32(64)
            .u32(4)
            .u64(device.map(MemorySegment.ofArray(new byte[4 * DIGEST_BYTES])));
    RefusalTest.assertFault(
        () -> launch(device, "sha256_strided", 4, arguments, 1),
        Fault.OUT_OF_BOUNDS,
        "sha256_strided, block 0, thread 3");
  }
}
