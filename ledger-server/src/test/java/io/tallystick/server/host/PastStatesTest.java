package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.DraftOp;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.forest.VersionLimits;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// States between saved versions, asked for by many at once: one is made at a time, a few requests
/// wait for it, the others are refused; then all are answered.
class PastStatesTest {
  private static final Bytes KEY = Bytes.utf8("key");
  private static final int BLOCKS = 20;
  private static final int WAITING = 4; // of one ledger; the one that makes a state is among them

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger().withSmallState();
  private final AtomicInteger readers = new AtomicInteger();
  private volatile CountDownLatch stream = new CountDownLatch(0);

  /// Whoever reads the stream waits for the latch.
  private final ForwardingDisk slow =
      new ForwardingDisk(disk) {
        @Override
        public DiskFile open(String name) throws IOException {
          DiskFile file = super.open(name);
          return !name.startsWith("stream")
              ? file
              : new ForwardingFile(file) {
                @Override
                public int read(long position, ByteBuffer into) throws IOException {
                  readers.incrementAndGet();
                  try {
                    stream.await();
                  } catch (InterruptedException e) {
                    throw new IOException(e);
                  }
                  return super.read(position, into);
                }
              };
        }
      };

  private long jsnAt(TestNode node, long height) throws Exception {
    StateAnswer answer = node.node.state(ledger.strand(), KEY, height, false).answer();
    return ((StateAnswer.Present) answer).entry().jsn().value();
  }

  @Test
  void fewWaitAndTheOthersAreRefused() throws Exception {
    ShardConfig config =
        TestNode.CONFIG
            .withSavepointEvery(1 << 20, Long.MAX_VALUE)
            .withVersions(new VersionLimits(40, Long.MAX_VALUE, 1 << 20));
    List<Long> jsns = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    ExecutorService asking =
        Executors.newFixedThreadPool(
            WAITING,
            task -> {
              Thread thread = new Thread(task);
              threads.add(thread);
              return thread;
            });
    try (TestNode node = new TestNode(slow, meta, config)) {
      node.found(ledger);
      for (int i = 0; i < BLOCKS; i++) {
        node.append(ledger, ledger.writing(i, DraftOp.put(KEY, Bytes.utf8("value " + i))));
        jsns.add(jsnAt(node, i + 1));
      }
      stream = new CountDownLatch(1);
      int before = readers.get();
      List<Future<Long>> answers = new ArrayList<>();
      for (int i = 0; i < WAITING; i++) {
        long height = 2L + i / 2; // two and two ask for the same
        answers.add(asking.submit(() -> jsnAt(node, height)));
      }
      Waiting.until("one reads the stream", () -> readers.get() > before);
      Waiting.until(
          "the others wait",
          () -> threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
      RequestRejectedException refused =
          catchThrowableOfType(RequestRejectedException.class, () -> jsnAt(node, 9));
      assertThat(refused.code()).isEqualTo(RejectionCode.RATE_LIMITED);
      assertThat(jsnAt(node, BLOCKS)).as("the newest is read").isEqualTo(jsns.getLast());
      stream.countDown();
      for (int i = 0; i < WAITING; i++) {
        assertThat(answers.get(i).get()).isEqualTo(jsns.get(1 + i / 2));
      }
      assertThat(jsnAt(node, 9)).isEqualTo(jsns.get(8));
    } finally {
      stream.countDown();
      asking.shutdown();
    }
  }
}
