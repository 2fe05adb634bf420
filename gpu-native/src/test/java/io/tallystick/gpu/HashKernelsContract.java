package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.gpu.KernelRunner.Launch;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: the kernels compute what the CPU does. Method: launches on random messages, of lengths
/// around each bound of the padding, at each place in a word, in several orders of threads. Whoever
/// runs the kernels extends it.
abstract class HashKernelsContract {
  /// SHA-256's block has 64 bytes, of which the padding takes 9; with a prefix, 10.
  private static final List<Integer> SHA256_LENGTHS =
      List.of(
          0, 1, 2, 3, 4, 5, 31, 32, 53, 54, 55, 56, 57, 61, 62, 63, 64, 65, 66, 117, 118, 119, 120,
          121, 126, 127, 128, 129, 200);

  /// Keccak-256's block has 136 bytes, of which the padding takes 1.
  private static final List<Integer> KECCAK256_LENGTHS =
      List.of(
          0, 1, 2, 3, 4, 5, 7, 8, 9, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 270, 271,
          272, 273, 274, 530);

  private static final Launch LAUNCH = new Launch(64, 1);
  private static final int SMALL_BLOCK = 32;

  private final SplittableRandom random = new SplittableRandom(29);

  abstract KernelRunner runner() throws Exception;

  @Test
  void hashesMessagesOfAnyLength() throws Exception {
    MessageBatch messages = MessageBatch.atEveryPlace(random, SHA256_LENGTHS);
    assertThat(runner().sha256(LAUNCH, messages, Kernel.NO_PREFIX)).isEqualTo(sha256(messages));
  }

  @Test
  void hashesLeaves() throws Exception {
    MessageBatch messages = MessageBatch.atEveryPlace(random, SHA256_LENGTHS);
    assertThat(runner().sha256(LAUNCH, messages, Kernel.LEAF_PREFIX)).isEqualTo(leaves(messages));
  }

  @Test
  void hashesByKeccak() throws Exception {
    MessageBatch messages = MessageBatch.atEveryPlace(random, KECCAK256_LENGTHS);
    assertThat(runner().keccak256(LAUNCH, messages)).isEqualTo(keccak256(messages));
  }

  @Test
  void hashesMessagesOfNoBytesInNoMemory() throws Exception {
    MessageBatch messages = MessageBatch.of(random, Collections.nCopies(3, 0));
    assertThat(runner().sha256(LAUNCH, messages, Kernel.NO_PREFIX)).isEqualTo(sha256(messages));
    assertThat(runner().sha256(LAUNCH, messages, Kernel.LEAF_PREFIX)).isEqualTo(leaves(messages));
    assertThat(runner().keccak256(LAUNCH, messages)).isEqualTo(keccak256(messages));
  }

  @Test
  void hashesMessagesOfEqualLength() throws Exception {
    for (int stride : new int[] {1, 3, 4, 55, 56, 57, 63, 64, 65, 119, 120, 128}) {
      int count = 1 + random.nextInt(9);
      byte[] messages = bytes(stride * count);
      byte[] want = new byte[count * Digest.BYTES];
      BatchHasher.cpu().sha256(messages, 0, stride, count, want, 0);
      assertThat(runner().sha256Strided(LAUNCH, messages, stride, count))
          .as("stride %d, count %d", stride, count)
          .isEqualTo(want);
    }
  }

  /// The last block of the grid is full, has one thread with work, or lacks one.
  @Test
  void hashesEachMessageOfAnyCount() throws Exception {
    for (int count :
        new int[] {1, SMALL_BLOCK - 1, SMALL_BLOCK, SMALL_BLOCK + 1, 2 * SMALL_BLOCK}) {
      List<Integer> lengths = IntStream.range(0, count).mapToObj(_ -> random.nextInt(150)).toList();
      MessageBatch messages = MessageBatch.of(random, lengths);
      Launch launch = new Launch(SMALL_BLOCK, count);
      assertThat(runner().sha256(launch, messages, Kernel.LEAF_PREFIX)).isEqualTo(leaves(messages));
      assertThat(runner().keccak256(launch, messages)).isEqualTo(keccak256(messages));
    }
  }

  @Test
  void hashesParents() throws Exception {
    for (int parents : new int[] {1, 2, 3, SMALL_BLOCK - 1, SMALL_BLOCK, SMALL_BLOCK + 1, 100}) {
      byte[] children = bytes(2 * parents * Digest.BYTES);
      assertThat(runner().subtrees(new Launch(SMALL_BLOCK, parents), children, 1))
          .as("%d parents", parents)
          .isEqualTo(subtrees(children, 1));
    }
  }

  /// Subtrees as wide as a block has children, narrower ones that share a block, in several orders.
  @Test
  void hashesSubtrees() throws Exception {
    for (int levels : new int[] {2, 3, 6}) {
      for (int count : new int[] {1, 3, 4, 7}) {
        byte[] leaves = bytes((count << levels) * Digest.BYTES);
        byte[] want = subtrees(leaves, levels);
        for (int seed = 0; seed < 2; seed++) {
          assertThat(runner().subtrees(new Launch(SMALL_BLOCK, seed), leaves, levels))
              .as("%d subtrees of %d levels, seed %d", count, levels, seed)
              .isEqualTo(want);
        }
      }
    }
  }

  @Test
  void hashesSubtreesInTheLargestBlock() throws Exception {
    byte[] leaves = bytes(2 * Kernel.BLOCK_THREADS_MAX * Digest.BYTES);
    assertThat(runner().subtrees(new Launch(Kernel.BLOCK_THREADS_MAX, 1), leaves, 9))
        .isEqualTo(subtrees(leaves, 9));
  }

  /// What one launch gives goes on where the one before ended.
  @Test
  void hashesHigherSubtreesByLaunchesOneUponTheOther() throws Exception {
    byte[] leaves = bytes((2 << 8) * Digest.BYTES);
    byte[] want = subtrees(leaves, 8);
    byte[] lower = runner().subtrees(new Launch(8, 1), leaves, 4);
    byte[] between = Arrays.copyOfRange(lower, lower.length - (leaves.length >> 4), lower.length);
    byte[] upper = runner().subtrees(new Launch(8, 2), between, 4);
    byte[] all = Arrays.copyOf(lower, lower.length + upper.length);
    System.arraycopy(upper, 0, all, lower.length, upper.length);
    assertThat(all).isEqualTo(want);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] sha256(MessageBatch messages) {
    byte[] digests = new byte[messages.count() * Digest.BYTES];
    BatchHasher.cpu().sha256(messages.bytes(), messages.offsets(), messages.count(), digests, 0);
    return digests;
  }

  private static byte[] leaves(MessageBatch messages) {
    byte[] digests = new byte[messages.count() * Digest.BYTES];
    BatchHasher.cpu().leaves(messages.bytes(), messages.offsets(), messages.count(), digests, 0);
    return digests;
  }

  private static byte[] keccak256(MessageBatch messages) {
    byte[] digests = new byte[messages.count() * Digest.BYTES];
    BatchHasher.cpu().keccak256(messages.bytes(), messages.offsets(), messages.count(), digests, 0);
    return digests;
  }

  private static byte[] subtrees(byte[] leaves, int levels) {
    int width = 1 << levels;
    int count = leaves.length / Digest.BYTES / width;
    byte[] nodes = new byte[count * (width - 1) * Digest.BYTES];
    BatchHasher.cpu().subtrees(leaves, 0, width, count, nodes, 0);
    return nodes;
  }
}
