package io.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.server.AppendTicket.Receipted;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Goal: many ledgers share a shard, each complete after a restart wherever its savepoint stands,
/// and one that is idle costs next to nothing. Method: 200 ledgers, every other one idle, recovered
/// from the last savepoint and from one taken halfway.
class ManyLedgersTest {
  private static final LedgerFilter ALL = new LedgerFilter.All();

  private static final int LEDGERS = 200;
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
