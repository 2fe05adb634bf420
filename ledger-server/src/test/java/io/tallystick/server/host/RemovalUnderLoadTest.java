package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.Attestation;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.JournalView;
import io.tallystick.removal.Snapshot;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.tile.TileBundle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: while others append and read, bodies are occulted and a prefix purged; no read answers a
/// body after the receipt of its removal, none finds a journal damaged, and every receipt taken
/// before verifies after. Method: a node on a real disk; readers verify each body that they get,
/// one by one, along the log and as bundles.
class RemovalUnderLoadTest {
  /// The purge drops some while others are read.
  private static final StreamSettings SEGMENTS = new StreamSettings(64 << 10, 64 << 10, 64 << 10);

  private static final int BATCH = 5;
  private static final int BATCHES_BEFORE = 80;
  private static final int BATCHES_MAX = 2_000;
  private static final int OCCULTS = 25;
  private static final int PREPARATIONS_MAX = 100;
  private static final int WALK = 40;

  @TempDir private Path data;
  private final Fixtures ledger = Fixtures.ledger();
  private final AtomicInteger numbers = new AtomicInteger(1);
  private final Queue<Taken> taken = new ConcurrentLinkedQueue<>();
  private final Set<Long> occulted = ConcurrentHashMap.newKeySet();
  private final AtomicLong bodiesRead = new AtomicLong();
  private final AtomicLong erasedRead = new AtomicLong();
  private final AtomicLong purgedRead = new AtomicLong();

  /// Bodies below are purged, by a purge whose receipt is there.
  private volatile long firstKept;

  private volatile boolean over;
  private NodeOnDisk node;
  private TestNode service;

  @BeforeEach
  void open() throws Exception {
    node = new NodeOnDisk(data, SEGMENTS, TestNode.CONFIG, Fixtures.TIME_MS);
    service = node.service;
  }

  @AfterEach
  void close() throws Exception {
    node.close();
  }

  /// A receipt with the leaves that it is of.
  private record Taken(Bytes receipt, List<Bytes> leaves) {}

  @Test
  void noReadAnswersWhatIsRemoved() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(5)) {
      service.found(ledger);
      var _ = service.append(ledger, OccultStory.regulator(ledger));
      for (int i = 0; i < BATCHES_BEFORE; i++) {
        append();
      }
      List<Future<Void>> work = new ArrayList<>();
      for (Callable<Void> each :
          List.<Callable<Void>>of(
              this::write, this::readOne, this::readOne, this::walk, this::bundles)) {
        work.add(threads.submit(each));
      }
      try {
        remove();
      } finally {
        over = true;
      }
      for (Future<Void> each : work) {
        each.get();
      }
      assertThat(bodiesRead).hasPositiveValue();
      assertThat(erasedRead).hasPositiveValue();
      assertThat(purgedRead).hasPositiveValue();
      assertThat(data.resolve("stream/00000000/00000000.seg")).doesNotExist();
      for (Taken each : taken) {
        var _ = service.verify(ledger, each.receipt, each.leaves);
      }
    }
  }

  /// Occults, a purge in the middle of them, and waits until all is erased.
  private void remove() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < OCCULTS; i++) {
      if (i == OCCULTS / 2) {
        purge();
      }
      long jsn = random.nextLong(Math.max(firstKept, 4), service.node.newestSize(ledger.strand()));
      if (isNoTarget(jsn) || occulted.contains(jsn)) {
        continue;
      }
      ErasureTarget target = OccultStory.journals(service, ledger, jsn);
      var _ = service.append(ledger, OccultStory.occult(ledger, target));
      occulted.add(jsn);
    }
    int removals = 1 + occulted.size();
    OccultStory.awaitErased(node.service, removals);
    assertThat(OccultStory.done(node.service)).isEqualTo(removals);
  }

  /// Whether no occult may name it: a seal, or an occult.
  private boolean isNoTarget(long jsn) throws RequestRejectedException {
    JournalView view = service.node.journal(ledger.strand(), jsn, false);
    return !isAppend(view.leaf());
  }

  private static boolean isAppend(Bytes leaf) {
    try {
      return Leaf.decode(leaf) instanceof JournalLeaf journal
          && RequestHeader.decode(journal.header()).kind() == Kind.APPEND;
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private void purge() throws Exception {
    long height = service.node.newestBlock(ledger.strand()).height();
    Snapshot snapshot = Snapshot.decode(prepared(height));
    var _ =
        service.append(
            ledger,
            ledger.govern(
                Kind.PURGE,
                new Extension.Purge(snapshot.firstKept(), height, snapshot.digest(), 0),
                Fixtures.ALICE));
    firstKept = snapshot.firstKept().value();
    service.clock.incrementAndGet();
  }

  /// An occult that is indexed meanwhile refuses the preparation, which is then repeated.
  private Bytes prepared(long height) throws Exception {
    for (int i = 0; ; i++) {
      try {
        return service.node.purges().orElseThrow().prepare(ledger.strand(), height, List.of());
      } catch (RequestRejectedException e) {
        if (e.code() != RejectionCode.UNAVAILABLE || i == PREPARATIONS_MAX) {
          throw e;
        }
        Thread.sleep(10);
      }
    }
  }

  private void append() throws Exception {
    Submission submission = ledger.batch(numbers.getAndAdd(BATCH), BATCH);
    Receipted receipted = service.append(ledger, submission);
    List<Bytes> leaves = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      leaves.add(
          new JournalLeaf(
                  new Jsn(receipted.committed().firstJsn() + i),
                  receipted.committed().timeMs(),
                  submission.requests().get(i).header(),
                  Attestation.hash(submission.attestation()),
                  i,
                  BATCH)
              .encode());
    }
    taken.add(new Taken(receipted.rangeReceipt(), leaves));
  }

  private Void write() throws Exception {
    for (int i = 0; i < BATCHES_MAX && !over; i++) {
      append();
    }
    return null;
  }

  private Void readOne() throws Exception {
    SplittableRandom random = new SplittableRandom(Thread.currentThread().threadId());
    while (!over) {
      long jsn = random.nextLong(2, service.node.newestSize(ledger.strand()));
      Gone gone = new Gone();
      reading(
          jsn,
          () -> {
            JournalView view = service.node.journal(ledger.strand(), jsn, true);
            gone.check(jsn, view.leaf(), view.bodyState(), view.salt(), view.body());
          });
    }
    return null;
  }

  private Void walk() throws Exception {
    SplittableRandom random = new SplittableRandom(2);
    while (!over) {
      long size = service.node.newestSize(ledger.strand());
      long from = random.nextLong(2, size);
      Gone gone = new Gone();
      reading(
          from,
          () ->
              service.node.readLog(
                  ledger.strand(),
                  from,
                  Math.min(size, from + WALK),
                  true,
                  (jsn, leaf, _, _, state, salt, body) -> {
                    gone.check(jsn, leaf, state, salt, body);
                    return true;
                  }));
    }
    return null;
  }

  private Void bundles() throws Exception {
    SplittableRandom random = new SplittableRandom(3);
    while (!over) {
      long size = service.node.newestSize(ledger.strand());
      long from = random.nextLong(2, size);
      long to = Math.min(Math.min(size, from + WALK), (from / 256 + 1) * 256);
      Gone gone = new Gone();
      reading(
          from,
          () -> {
            Bytes bytes = service.node.bundle(ledger.strand(), TileBundle.BODIES, from, to).bytes();
            gone.check(from, to, bytes);
          });
    }
    return null;
  }

  private interface Read {
    void now() throws Exception;
  }

  /// A read may be refused as purged, and for no other reason.
  private void reading(long from, Read read) throws Exception {
    try {
      read.now();
    } catch (RequestRejectedException e) {
      assertThat(e.code())
          .as("read from %d: %s", from, e.getMessage())
          .isEqualTo(RejectionCode.PURGED);
      purgedRead.incrementAndGet();
    }
  }

  /// What was removed before a read began.
  private final class Gone {
    private final long purgedBelow = firstKept;
    private final Set<Long> jsns = Set.copyOf(occulted);

    private boolean has(long jsn) {
      return jsns.contains(jsn) || jsn < purgedBelow;
    }

    void check(long jsn, Bytes leaf, BodyState state, @Nullable Bytes salt, @Nullable Bytes body) {
      assertThat(state).as("journal %d", jsn).isNotEqualTo(BodyState.DAMAGED);
      if (state == BodyState.PRESENT && salt != null && body != null) {
        assertThat(has(jsn)).as("body of %d is answered", jsn).isFalse();
        assertThat(Commitments.body(salt, body)).as("journal %d", jsn).isEqualTo(committed(leaf));
        bodiesRead.incrementAndGet();
      } else {
        assertThat(body).as("body of %d, %s", jsn, state).isNull();
        assertThat(salt).as("salt of %d, %s", jsn, state).isNull();
        erasedRead.addAndGet(state == BodyState.ERASED ? 1 : 0);
      }
    }

    void check(long from, long to, Bytes bundle) throws Exception {
      var items = TileBundle.BODIES.decode(bundle, (int) (to - from));
      for (int i = 0; i < items.count(); i++) {
        if (has(from + i)) {
          assertThat(items.size(i)).as("item of %d", from + i).isZero();
        }
      }
    }
  }

  private static Digest committed(Bytes leaf) {
    try {
      return RequestHeader.decode(((JournalLeaf) Leaf.decode(leaf)).header()).bodyCommit();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }
}
