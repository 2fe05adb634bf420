package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceBatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.model.Digest;
import io.tallystick.testkit.Effort;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jcuda.driver.CUstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the device serves calls of any size from any thread, and takes no more memory the longer
/// it runs. Method: with the fake driver and little memory, so that calls are cut.
class CudaHashDeviceTest {
  @TempDir static Path natives;

  private final SplittableRandom random = new SplittableRandom(17);
  private final List<DeviceLostException> lost = new ArrayList<>();
  private FakeCuda fake;
  private CudaHashDevice device;
  private DeviceBatchHasher hasher;

  @BeforeEach
  void open() throws Exception {
    fake = FakeCuda.set("");
    device = CudaHashDevice.open(natives, FakeCuda.settings(), CudaDriver::new);
    hasher = new DeviceBatchHasher(device, lost::add);
  }

  @AfterEach
  void close() {
    device.close();
    assertThat(lost).isEmpty();
    assertThat(fake.held()).isEqualTo(FakeCuda.NOTHING);
  }

  /// Threads of the system and virtual ones, which go on in another thread of the system where they
  /// waited for a device that is slow.
  @Test
  void servesManyThreads() throws Exception {
    FakeCuda.set("slow=300");
    List<Callable<Object>> callers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      AllCalls calls = new AllCalls(random.split(), 1 + random.nextInt(700), 64);
      callers.add(Executors.callable(() -> calls.checkOn(hasher)));
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(4);
        ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Object>> both = new ArrayList<>();
      for (Callable<Object> caller : callers) {
        both.add(threads.submit(caller));
        both.add(virtual.submit(caller));
      }
      for (Future<Object> call : both) {
        call.get(60, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void takesNoMoreTheLongerItRuns() throws Exception {
    AllCalls calls = new AllCalls(random, 4, 4);
    calls.checkOn(hasher);
    String held = fake.held();
    long files = openFiles();
    int threads = Thread.getAllStackTraces().size();
    for (int batch = 0; batch < Effort.of(10_000, 100_000) / 8; batch++) {
      calls.checkOn(hasher);
    }
    assertThat(fake.held()).isEqualTo(held);
    assertThat(openFiles()).isLessThanOrEqualTo(files + 2);
    assertThat(Thread.getAllStackTraces().size()).isLessThanOrEqualTo(threads + 2);
    assertThat(device.lend(FakeCuda.SMALL.lentBytes())).as("all that is lent is back").isPresent();
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  /// The subtree does not fit into a stream's memory: two passes.
  @Test
  void hashesSubtreesWiderThanItsMemory() throws Exception {
    int width = 4 * FakeCuda.SMALL.messagesMax();
    byte[] leaves = bytes(2 * width * Digest.BYTES);
    byte[] want = new byte[2 * (width - 1) * Digest.BYTES];
    byte[] made = new byte[want.length];
    BatchHasher.cpu().subtrees(leaves, 0, width, 2, want, 0);
    hasher.subtrees(leaves, 0, width, 2, made, 0);
    assertThat(made).isEqualTo(want);
  }

  /// Among short ones, a message that just fits and one that does not.
  @Test
  void hashesMessagesLongerThanItsMemory() {
    int most = FakeCuda.SMALL.ringBytes();
    int[] lengths = {5, most, 3, most + 1, 0, 7, most - 1, 2};
    int[] offsets = new int[lengths.length + 50];
    for (int i = 0; i + 1 < offsets.length; i++) {
      offsets[i + 1] = offsets[i] + (i < lengths.length ? lengths[i] : 60);
    }
    int count = offsets.length - 1;
    byte[] messages = bytes(offsets[count]);
    byte[] want = new byte[count * Digest.BYTES];
    byte[] made = new byte[want.length];
    BatchHasher.cpu().leaves(messages, offsets, count, want, 0);
    hasher.leaves(messages, offsets, count, made, 0);
    assertThat(made).isEqualTo(want);
  }

  /// One thread of the device takes longer for each than the CPU.
  @Test
  void leavesMessagesThatAreLongToTheCpu() {
    int stride = 17 << 10;
    byte[] messages = bytes(3 * stride);
    byte[] want = new byte[3 * Digest.BYTES];
    byte[] made = new byte[want.length];
    BatchHasher.cpu().sha256(messages, 0, stride, 3, want, 0);
    long launches = fake.launches();
    hasher.sha256(messages, 0, stride, 3, made, 0);
    assertThat(made).isEqualTo(want);
    assertThat(fake.launches()).isEqualTo(launches);
  }

  /// Not by way of its own memory, as it does messages on the heap.
  @Test
  void copiesFromWhereItLent() throws Exception {
    List<Long> copied = new ArrayList<>();
    CudaDriver driver =
        new CudaDriver() {
          @Override
          void copyIn(long to, long from, long bytes, CUstream stream) throws DeviceLostException {
            copied.add(from);
            super.copyIn(to, from, bytes, stream);
          }
        };
    byte[] messages = bytes(1000);
    try (CudaHashDevice other = CudaHashDevice.open(natives, FakeCuda.settings(), () -> driver)) {
      MemorySegment lent = other.lend(1000).orElseThrow();
      lent.copyFrom(MemorySegment.ofArray(messages));
      byte[] made = new byte[2 * Digest.BYTES];
      copied.clear();
      other.leaves(lent, new int[] {3, 500, 900}, 2, MemorySegment.ofArray(made));
      assertThat(copied).hasSize(2).contains(lent.address() + 3);
      byte[] want = new byte[made.length];
      BatchHasher.cpu().leaves(messages, new int[] {3, 500, 900}, 2, want, 0);
      assertThat(made).isEqualTo(want);
    }
  }

  @Test
  void lendsUpToABoundAndTakesUseOfItAfterwardsForAMistake() {
    MemorySegment most = device.lend(FakeCuda.SMALL.lentBytes()).orElseThrow();
    assertThat(device.lend(1)).isEmpty();
    device.takeBack(most);
    MemorySegment lent = device.lend(64).orElseThrow();
    device.close();
    assertThatThrownBy(() -> lent.set(ValueLayout.JAVA_BYTE, 0, (byte) 1))
        .isInstanceOf(IllegalStateException.class);
  }

  /// RFC 6962's implementations have these in common; NIST's and the Keccak team's answers.
  @Test
  void computesWhatIsPublished() {
    byte[] message = "abc".getBytes(StandardCharsets.US_ASCII);
    byte[] digest = new byte[Digest.BYTES];
    hasher.sha256(message, new int[] {0, 3}, 1, digest, 0);
    assertThat(digest)
        .isEqualTo(hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    hasher.keccak256(message, new int[] {0, 3}, 1, digest, 0);
    assertThat(digest)
        .isEqualTo(hex("4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"));
    byte[] entries = hex("00" + "10" + "2021" + "3031" + "40414243" + "5051525354555657");
    entries = concatenate(entries, hex("606162636465666768696a6b6c6d6e6f"));
    byte[] leaves = new byte[8 * Digest.BYTES];
    hasher.leaves(entries, new int[] {0, 0, 1, 2, 4, 6, 10, 18, 34}, 8, leaves, 0);
    byte[] nodes = new byte[7 * Digest.BYTES];
    hasher.subtrees(leaves, 0, 8, 1, nodes, 0);
    assertThat(nodes)
        .endsWith(hex("5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"));
  }

  /// On a device that is slower at any size, as here.
  @Test
  void measuresFromHowManyMessagesItIsWorthwhile() throws Exception {
    assertThat(BreakEven.measure(device)).isBetween(BreakEven.MESSAGES_MIN, BreakEven.MESSAGES_MAX);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  private static byte[] concatenate(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
