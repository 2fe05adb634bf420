package io.tallystick.server.host;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerView;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// Goal: many ledgers share a shard, each complete after a restart wherever its savepoint stands,
/// and one that is idle costs next to nothing. Method: 200 ledgers, every other one idle, recovered
/// from the last savepoint and from one taken halfway; and rounds over ledgers of which only a few
/// may be awake, while others read them.
class ManyLedgersTest {
  private static final LedgerFilter ALL = new LedgerFilter.All();

  private static final int LEDGERS = 200;
  private static final int FEW = 12;
  private static final long BYTES_PER_LEDGER_MAX = 40_000;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore late = new InMemoryMetaStore();
  private final List<Fixtures> ledgers = new ArrayList<>();
  private final Map<Fixtures, Receipted> receipts = new HashMap<>();
  private InMemoryMetaStore halfway = new InMemoryMetaStore();

  private void write() throws Exception {
    try (TestNode service = new TestNode(disk, late)) {
      for (int i = 0; i < LEDGERS; i++) {
        Fixtures ledger = Fixtures.ledger(Fixtures.TIME_MS + i);
        ledgers.add(ledger);
        service.found(ledger);
        if (i % 2 == 0) {
          receipts.put(ledger, service.append(ledger, ledger.batch(1, 3)));
        }
        if (i == LEDGERS / 2) {
          halfway = late.copy();
        }
      }
    }
  }

  private void check(InMemoryMetaStore meta) throws Exception {
    try (TestNode service = new TestNode(disk, meta)) {
      for (Fixtures ledger : ledgers) {
        LedgerId id = ledger.strand().ledger();
        Receipted receipt = receipts.get(ledger);
        assertThat(service.node.ledger(id).size()).isEqualTo(receipt == null ? 2 : 6);
        if (receipt != null) {
          byte[] again = service.node.rangeReceipt(ledger.strand(), 2, 3);
          assertThat(Bytes.wrap(again)).isEqualTo(receipt.rangeReceipt());
        }
        assertThat(service.found(ledger).existed()).isTrue();
      }
      service.append(ledgers.getLast(), ledgers.getLast().single(7));
    }
  }

  @Test
  void keepsAllOverARestart() throws Exception {
    write();
    check(late);
  }

  @Test
  void keepsAllFromASavepointHalfway() throws Exception {
    write();
    check(halfway);
  }

  /// Strands are put to rest under a reader that wakes them again; once it is gone, all but a few
  /// are at rest when their last round comes.
  @Test
  void appendsToAndReadsStrandsAtRest() throws Exception {
    int rounds = 40;
    try (TestNode service = new TestNode(disk, late, fewAwake(3))) {
      for (int i = 0; i < FEW; i++) {
        ledgers.add(Fixtures.ledger(Fixtures.TIME_MS + i));
        service.found(ledgers.get(i));
      }
      AtomicBoolean over = new AtomicBoolean();
      FutureTask<Long> reading = new FutureTask<>(() -> readUntil(service, over));
      Thread reader = Thread.ofPlatform().start(reading);
      for (int round = 1; round < rounds; round++) {
        appendRound(service, round);
      }
      over.set(true);
      reader.join();
      assertThat(reading.get()).as("journals read meanwhile").isPositive();
      // Fewer than FEW / 2 may wait for a savepoint, and those do not rest.
      assertThat(service.awaitGauge("ledger.strands.awake", FEW / 2)).isLessThanOrEqualTo(FEW / 2);
      appendRound(service, rounds);
      assertThat(service.node.health().appendable()).isTrue();
    }
    try (TestNode service = new TestNode(disk, late, fewAwake(0))) {
      for (Fixtures ledger : ledgers) {
        assertThat(service.node.ledger(ledger.strand().ledger()).size()).isEqualTo(2 + 4 * rounds);
        int first = 2 + 4 * (rounds - 1);
        byte[] again = service.node.rangeReceipt(ledger.strand(), first, 3);
        assertThat(Bytes.wrap(again))
            .isEqualTo(requireNonNull(receipts.get(ledger)).rangeReceipt());
      }
    }
  }

  private void appendRound(TestNode service, int round) throws Exception {
    for (Fixtures ledger : ledgers) {
      receipts.put(ledger, service.append(ledger, ledger.batch(round, 3)));
    }
  }

  private long readUntil(TestNode service, AtomicBoolean over) throws Exception {
    long read = 0;
    for (int i = 0; !over.get(); i++) {
      StrandId strand = ledgers.get(i % FEW).strand();
      long size = service.node.ledger(strand.ledger()).size();
      for (long jsn = size % 2; jsn < size; jsn += 7) {
        service.node.receipt(strand, jsn);
        read++;
      }
    }
    return read;
  }

  private static ShardConfig fewAwake(int max) {
    return TestNode.CONFIG.withStrands(FEW / 2, max);
  }

  @Test
  void takesASavepointWhenManyStrandsHaveChanged() throws Exception {
    ShardConfig config = TestNode.CONFIG.withSavepointEvery(1 << 20, 60_000).withStrands(FEW, FEW);
    try (TestNode service = new TestNode(disk, late, config)) {
      for (int i = 0; i < FEW - 1; i++) {
        service.found(Fixtures.ledger(Fixtures.TIME_MS + i));
      }
      assertThat(SavedWorld.ledgers(late.copy())).isEmpty();
      service.found(Fixtures.ledger(Fixtures.TIME_MS + FEW));
      // The savepoint comes behind the answer, before the next frame is indexed.
      service.found(Fixtures.ledger(Fixtures.TIME_MS + FEW + 1));
      assertThat(SavedWorld.ledgers(late.copy())).hasSize(FEW);
    }
  }

  @Test
  void listsPagesInOrderAndOpensAnIdleLedgerForNextToNothing() throws Exception {
    write();
    try (TestNode service = new TestNode(disk, late)) {
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      List<LedgerView> listed = new ArrayList<>(service.node.ledgers(null, 7, ALL));
      long before = threads.getCurrentThreadAllocatedBytes();
      while (listed.size() < LEDGERS) {
        List<LedgerView> page = service.node.ledgers(listed.getLast().id(), 7, ALL);
        assertThat(page).hasSize(Math.min(7, LEDGERS - listed.size()));
        listed.addAll(page);
      }
      long each = (threads.getCurrentThreadAllocatedBytes() - before) / LEDGERS;
      assertThat(each).as("bytes allocated per ledger opened").isLessThan(BYTES_PER_LEDGER_MAX);
      assertThat(listed).isSortedAccordingTo((a, b) -> a.id().compareTo(b.id()));
      assertThat(service.node.ledgers(listed.getLast().id(), 7, ALL)).isEmpty();
    }
  }
}
