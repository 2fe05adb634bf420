package io.tallystick.testkit.hashing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Keccak256;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.HashBuffer;
import io.tallystick.hashing.Support;
import io.tallystick.model.Digest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/// Every batch hasher gives what SHA-256 and Keccak-256 give one message at a time, at any place of
/// the arrays and in native memory, writes nothing else, refuses what does not fit, and serves
/// several threads. Subclass it with one method.
public abstract class BatchHasherContract {
  private static final int[] COUNTS = {1, 2, 3, 31, 257};

  /// Lengths around SHA-256's padding and block bounds.
  private static final int[] STRIDES = {1, 31, 32, 55, 56, 63, 64, 65, 119, 120, 128, 1100};

  private static final int MARGIN = 7;

  private final SplittableRandom random = new SplittableRandom(5);

  protected BatchHasherContract() {}

  protected abstract BatchHasher hasher();

  @Test
  public void hashesMessagesOfEqualLength() {
    for (int stride : STRIDES) {
      for (int count : COUNTS) {
        byte[] messages = bytes(MARGIN + stride * count + MARGIN);
        byte[] digests = bytes(MARGIN + Digest.BYTES * count + MARGIN);
        byte[] want = digests.clone();
        for (int i = 0; i < count; i++) {
          put(want, i, sha256(new byte[0], slice(messages, MARGIN + i * stride, stride)));
        }
        byte[] before = messages.clone();
        hasher().sha256(messages, MARGIN, stride, count, digests, MARGIN);
        assertThat(digests).as("%d messages of %d bytes", count, stride).isEqualTo(want);
        assertThat(messages).isEqualTo(before);
      }
    }
  }

  @Test
  public void hashesMessagesOfAnyLength() {
    for (int count : COUNTS) {
      Messages given = messages(count);
      byte[] digests = bytes(MARGIN + Digest.BYTES * count + MARGIN);
      byte[] want = digests.clone();
      for (int i = 0; i < count; i++) {
        put(want, i, sha256(new byte[0], given.message(i)));
      }
      hasher().sha256(given.bytes, given.offsets, count, digests, MARGIN);
      assertThat(digests).as("%d messages", count).isEqualTo(want);
    }
  }

  @Test
  public void hashesLeavesWithTheirPrefix() {
    for (int count : COUNTS) {
      Messages given = messages(count);
      byte[] digests = bytes(MARGIN + Digest.BYTES * count + MARGIN);
      byte[] want = digests.clone();
      for (int i = 0; i < count; i++) {
        put(want, i, sha256(new byte[] {0}, given.message(i)));
      }
      hasher().leaves(given.bytes, given.offsets, count, digests, MARGIN);
      assertThat(digests).as("%d leaves", count).isEqualTo(want);
    }
  }

  @Test
  public void hashesParentsIntoAnotherArray() {
    for (int count : COUNTS) {
      byte[] children = bytes(MARGIN + 2 * Digest.BYTES * count + MARGIN);
      byte[] parents = bytes(MARGIN + Digest.BYTES * count + MARGIN);
      byte[] want = wantParents(children, count, parents);
      hasher().parents(children, MARGIN, count, parents, MARGIN);
      assertThat(parents).as("%d parents", count).isEqualTo(want);
    }
  }

  @Test
  public void hashesParentsOverTheirChildren() {
    for (int count : COUNTS) {
      byte[] children = bytes(MARGIN + 2 * Digest.BYTES * count + MARGIN);
      byte[] want = wantParents(children, count, children);
      hasher().parents(children, MARGIN, count, children, MARGIN);
      int written = MARGIN + Digest.BYTES * count;
      assertThat(Arrays.copyOf(children, written)).isEqualTo(Arrays.copyOf(want, written));
    }
  }

  @Test
  public void refusesWhatDoesNotFitAndGoesOnAfterwards() {
    byte[] small = new byte[2 * Digest.BYTES];
    assertRefused(() -> hasher().sha256(small, 0, 33, 2, small.clone(), 0));
    assertRefused(() -> hasher().sha256(small, 1, 32, 2, small.clone(), 0));
    assertRefused(() -> hasher().sha256(small, 0, 1, 3, small.clone(), 0));
    assertRefused(() -> hasher().sha256(small, 0, Integer.MAX_VALUE, 2, small.clone(), 0));
    assertRefused(() -> hasher().sha256(small, new int[] {0, 65}, 1, small.clone(), 0));
    assertRefused(() -> hasher().sha256(small, new int[] {4, 2, 9}, 2, small.clone(), 0));
    assertRefused(() -> hasher().leaves(small, new int[] {0, 3}, 2, small.clone(), 0));
    assertRefused(() -> hasher().leaves(small, new int[] {0, 3}, 1, small.clone(), 33));
    assertRefused(() -> hasher().keccak256(small, new int[] {0, 65}, 1, small.clone(), 0));
    assertRefused(() -> hasher().keccak256(small, new int[] {0, 3}, 1, small.clone(), 33));
    assertRefused(() -> hasher().parents(small, 0, 2, small.clone(), 0));
    assertRefused(() -> hasher().parents(small, 1, 1, small.clone(), 0));
    byte[] digest = new byte[Digest.BYTES];
    hasher().sha256(small, 0, 64, 1, digest, 0);
    assertThat(digest).isEqualTo(sha256(new byte[0], small));
  }

  @Test
  public void refusesCountsAndWidthsThatAreNone() {
    byte[] small = new byte[4 * Digest.BYTES];
    byte[] to = new byte[4 * Digest.BYTES];
    for (int none : new int[] {0, -1}) {
      assertIllegal(() -> hasher().sha256(small, 0, 1, none, to, 0));
      assertIllegal(() -> hasher().sha256(small, 0, none, 1, to, 0));
      assertIllegal(() -> hasher().sha256(small, new int[] {0, 1}, none, to, 0));
      assertIllegal(() -> hasher().leaves(small, new int[] {0, 1}, none, to, 0));
      assertIllegal(() -> hasher().keccak256(small, new int[] {0, 1}, none, to, 0));
      assertIllegal(() -> hasher().parents(small, 0, none, to, 0));
      assertIllegal(() -> hasher().subtrees(small, 0, 2, none, to, 0));
      assertIllegal(() -> hasher().subtrees(small, 0, none, 1, to, 0));
    }
    assertIllegal(() -> hasher().subtrees(small, 0, 1, 1, to, 0));
    assertIllegal(() -> hasher().subtrees(small, 0, 3, 1, to, 0));
    assertIllegal(() -> hasher().subtrees(small, 0, Integer.MIN_VALUE, 1, to, 0));
    assertRefused(() -> hasher().subtrees(small, 0, 4, 2, to, 0));
    assertRefused(() -> hasher().subtrees(small, 1, 4, 1, to, 0));
    assertRefused(() -> hasher().subtrees(small, 0, 4, 1, to, 33));
    assertThat(to).containsOnly(0);
  }

  @Test
  public void refusesToWriteOverWhatItReads() {
    byte[] both = bytes(8 * Digest.BYTES);
    byte[] before = both.clone();
    int[] offsets = {40, 50, 90};
    assertIllegal(() -> hasher().sha256(both, 32, 32, 2, both, 64));
    assertIllegal(() -> hasher().sha256(both, offsets, 2, both, 0));
    assertIllegal(() -> hasher().leaves(both, offsets, 2, both, 89));
    assertIllegal(() -> hasher().keccak256(both, offsets, 2, both, 64));
    assertIllegal(() -> hasher().parents(both, 0, 2, both, 32));
    assertIllegal(() -> hasher().parents(both, 32, 2, both, 0));
    assertIllegal(() -> hasher().subtrees(both, 0, 4, 1, both, 96));
    MemorySegment memory = MemorySegment.ofArray(both);
    assertIllegal(() -> hasher().leaves(memory, offsets, 2, memory.asSlice(80)));
    assertIllegal(() -> hasher().keccak256(memory, offsets, 2, memory));
    assertIllegal(() -> hasher().parents(memory, 2, memory.asSlice(32)));
    assertIllegal(() -> hasher().subtrees(memory, 4, 1, memory));
    assertThat(both).isEqualTo(before);
    hasher().leaves(both, offsets, 2, both, 96);
    byte[] want = sha256(new byte[] {0}, slice(before, 40, 10));
    assertThat(slice(both, 96, Digest.BYTES)).isEqualTo(want);
  }

  @Test
  public void hashesAllLevelsOfCompleteSubtrees() {
    for (int width : new int[] {2, 4, 16, 256}) {
      for (int count : new int[] {1, 2, 3, 7}) {
        byte[] leaves = bytes(MARGIN + count * width * Digest.BYTES + MARGIN);
        byte[] nodes = bytes(MARGIN + count * (width - 1) * Digest.BYTES + MARGIN);
        byte[] before = leaves.clone();
        byte[] want = nodes.clone();
        byte[] level = slice(leaves, MARGIN, count * width * Digest.BYTES);
        int at = 0;
        while (level.length > count * Digest.BYTES) {
          byte[] above = new byte[level.length / 2];
          for (int i = 0; i < above.length / Digest.BYTES; i++) {
            byte[] pair = slice(level, 2 * i * Digest.BYTES, 2 * Digest.BYTES);
            byte[] node = sha256(new byte[] {1}, pair);
            System.arraycopy(node, 0, above, i * Digest.BYTES, Digest.BYTES);
            put(want, at++, node);
          }
          level = above;
        }
        hasher().subtrees(leaves, MARGIN, width, count, nodes, MARGIN);
        assertThat(nodes).as("%d subtrees of %d leaves", count, width).isEqualTo(want);
        assertThat(leaves).isEqualTo(before);
        try (Arena arena = Arena.ofConfined()) {
          byte[] bare = slice(leaves, MARGIN, count * width * Digest.BYTES);
          MemorySegment made = arena.allocate((long) count * (width - 1) * Digest.BYTES);
          hasher().subtrees(arena.allocateFrom(ValueLayout.JAVA_BYTE, bare), width, count, made);
          assertThat(made.toArray(ValueLayout.JAVA_BYTE))
              .isEqualTo(slice(want, MARGIN, (int) made.byteSize()));
        }
      }
    }
  }

  @Test
  public void hashesWhatIsWrittenToABufferThatItLends() {
    try (HashBuffer buffer = hasher().buffer(100)) {
      for (int count : COUNTS) {
        Messages given = messages(count);
        buffer.clear();
        fill(buffer, given, count);
        assertThat(buffer.count()).isEqualTo(count);
        byte[] digests = bytes(MARGIN + Digest.BYTES * count + MARGIN);
        byte[] want = digests.clone();
        hasher().keccak256(given.bytes, given.offsets, count, want, MARGIN);
        hasher().keccak256(buffer);
        buffer.digests(digests, MARGIN);
        assertThat(digests).as("%d messages", count).isEqualTo(want);
        hasher().leaves(given.bytes, given.offsets, count, want, MARGIN);
        hasher().leaves(buffer);
        for (int i = 0; i < count; i++) {
          buffer.digest(i, digests, MARGIN + i * Digest.BYTES);
        }
        assertThat(digests).as("%d leaves", count).isEqualTo(want);
      }
    }
  }

  /// In two parts each, the second of which may be empty.
  private static void fill(HashBuffer buffer, Messages given, int count) {
    for (int i = 0; i < count; i++) {
      int from = given.offsets[i];
      int size = given.offsets[i + 1] - from;
      buffer.put(given.bytes, from, size / 2).put(given.bytes, from + size / 2, size - size / 2);
      buffer.endMessage();
    }
  }

  @Test
  public void refusesABufferThatHasNoMessageOrNoDigests() {
    byte[] to = new byte[Digest.BYTES];
    try (HashBuffer buffer = hasher().buffer(0)) {
      assertIllegal(() -> hasher().leaves(buffer));
      assertRefused(() -> buffer.put(to, 1, Digest.BYTES));
      buffer.put(to, 0, 3);
      assertThatThrownBy(() -> hasher().leaves(buffer)).isInstanceOf(IllegalStateException.class);
      buffer.endMessage();
      assertThatThrownBy(() -> buffer.digests(to, 0)).isInstanceOf(IllegalStateException.class);
      hasher().leaves(buffer);
      buffer.digests(to, 0);
      assertThat(to).isEqualTo(sha256(new byte[] {0}, new byte[3]));
      assertRefused(() -> buffer.digest(1, to, 0));
      buffer.endMessage();
      assertThatThrownBy(() -> buffer.digest(0, to, 0)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  public void servesSeveralThreads() throws InterruptedException, ExecutionException {
    Messages given = messages(500);
    byte[] want = new byte[500 * Digest.BYTES];
    hasher().leaves(given.bytes, given.offsets, 500, want, 0);
    List<Callable<byte[]>> tasks = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      tasks.add(() -> {
        byte[] digests = new byte[500 * Digest.BYTES];
        hasher().leaves(given.bytes, given.offsets, 500, digests, 0);
        return digests;
      });
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      for (Future<byte[]> digests : threads.invokeAll(tasks)) {
        assertThat(digests.get()).isEqualTo(want);
      }
    }
  }

  @Test
  public void hashesWithKeccak() {
    for (int count : COUNTS) {
      Messages given = messages(count);
      byte[] digests = bytes(MARGIN + Digest.BYTES * count + MARGIN);
      byte[] want = digests.clone();
      for (int i = 0; i < count; i++) {
        put(want, i, Keccak256.hash(given.message(i)).toArray());
      }
      hasher().keccak256(given.bytes, given.offsets, count, digests, MARGIN);
      assertThat(digests).as("%d messages", count).isEqualTo(want);
    }
  }

  @Test
  public void hashesNativeMemoryAsArrays() {
    for (int count : COUNTS) {
      Messages given = messages(count);
      byte[] children = bytes(2 * Digest.BYTES * count);
      byte[] leaves = new byte[Digest.BYTES * count];
      byte[] keccaks = leaves.clone();
      byte[] parents = leaves.clone();
      hasher().leaves(given.bytes, given.offsets, count, leaves, 0);
      hasher().keccak256(given.bytes, given.offsets, count, keccaks, 0);
      hasher().parents(children, 0, count, parents, 0);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment messages = arena.allocateFrom(ValueLayout.JAVA_BYTE, given.bytes);
        MemorySegment digests = arena.allocate((long) Digest.BYTES * count);
        hasher().leaves(messages, given.offsets, count, digests);
        assertThat(digests.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(leaves);
        hasher().keccak256(messages, given.offsets, count, digests);
        assertThat(digests.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(keccaks);
        MemorySegment level = arena.allocateFrom(ValueLayout.JAVA_BYTE, children);
        hasher().parents(level, count, digests);
        assertThat(digests.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(parents);
        hasher().parents(level, count, level);
        assertThat(level.asSlice(0, digests.byteSize()).toArray(ValueLayout.JAVA_BYTE))
            .isEqualTo(parents);
        assertRefused(() -> hasher().leaves(messages, new int[] {0, 1 << 30}, 1, digests));
        assertRefused(() -> hasher().keccak256(messages, given.offsets, count, none()));
        assertRefused(() -> hasher().parents(level, count + 1, digests));
      }
    }
  }

  private static MemorySegment none() {
    return MemorySegment.ofArray(new byte[0]);
  }

  @Test
  public void saysHowMuchToHashAtOnceAndWhatHashes() {
    assertThat(hasher().callMessages()).isPositive();
    String said =
        switch (hasher().support()) {
          case Support.Available available -> available.device();
          case Support.Unsupported unsupported -> unsupported.why();
        };
    assertThat(said).isNotBlank();
  }

  private static byte[] wantParents(byte[] children, int count, byte[] target) {
    byte[] want = target.clone();
    for (int i = 0; i < count; i++) {
      int from = MARGIN + 2 * Digest.BYTES * i;
      put(want, i, sha256(new byte[] {1}, slice(children, from, 2 * Digest.BYTES)));
    }
    return want;
  }

  private static void assertRefused(Runnable call) {
    assertThatThrownBy(call::run).isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static void assertIllegal(Runnable call) {
    assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class);
  }

  private static final class Messages {
    private final byte[] bytes;
    private final int[] offsets;

    private Messages(byte[] bytes, int[] offsets) {
      this.bytes = bytes;
      this.offsets = offsets;
    }

    private byte[] message(int i) {
      return slice(bytes, offsets[i], offsets[i + 1] - offsets[i]);
    }
  }

  private Messages messages(int count) {
    int[] offsets = new int[count + 1];
    offsets[0] = MARGIN;
    for (int i = 0; i < count; i++) {
      offsets[i + 1] = offsets[i] + random.nextInt(300);
    }
    return new Messages(bytes(offsets[count] + MARGIN), offsets);
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] slice(byte[] bytes, int offset, int count) {
    return Arrays.copyOfRange(bytes, offset, offset + count);
  }

  private static void put(byte[] digests, int i, byte[] digest) {
    System.arraycopy(digest, 0, digests, MARGIN + i * Digest.BYTES, Digest.BYTES);
  }

  private static byte[] sha256(byte[] prefix, byte[] message) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(prefix);
      return digest.digest(message);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
