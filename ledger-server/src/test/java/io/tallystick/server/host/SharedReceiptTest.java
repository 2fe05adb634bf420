package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.AppendWaiter.ReceiptedRun;
import io.tallystick.node.Appending;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Goal: neighbours of one stream share a receipt that proves exactly their journals; others never
/// do. Method: submissions handed in together, so that one block takes them all.
class SharedReceiptTest {
  private final TestNode service;

  SharedReceiptTest() throws Exception {
    service = new TestNode(new InMemoryDisk(), new InMemoryMetaStore());
    service.found();
  }

  /// Collects the runs it is told.
  private static final class Collected implements AppendWaiter.Stream {
    final BlockingQueue<ReceiptedRun> runs = new LinkedBlockingQueue<>();

    @Override
    public void receipted(ReceiptedRun run) {
      runs.add(run);
    }

    ReceiptedRun next() throws InterruptedException {
      ReceiptedRun run = runs.poll(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
      assertThat(run).as("a receipt").isNotNull();
      return run;
    }
  }

  private record Waiter(Collected stream) implements AppendWaiter {
    @Override
    public boolean wantsCommitted() {
      return false;
    }

    @Override
    public void committed(Committed outcome) {
      throw new AssertionError("not wanted");
    }

    @Override
    public void failed(Throwable cause) {
      throw new AssertionError(cause);
    }
  }

  private Appending appending(Collected stream, Submission submission) throws Exception {
    return new Appending(service.verify(submission), new Waiter(stream));
  }

  @Test
  void provesAllNeighboursOfAStreamUnderOneReceipt() throws Exception {
    try (service) {
      Collected stream = new Collected();
      List<Appending> together = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Fixtures ledger = service.fixtures;
        together.add(
            appending(stream, i % 5 == 4 ? ledger.batch(100 * i, 3) : ledger.single(100 * i)));
      }
      service.node.append(together, 0);
      int told = 0;
      while (told < together.size()) {
        ReceiptedRun run = stream.next();
        assertProves(run);
        for (AppendWaiter waiter : run.waiters()) {
          assertThat(waiter).isEqualTo(together.get(told++).waiter());
        }
      }
      assertThat(stream.runs).isEmpty();
    }
  }

  @Test
  void keepsStreamsApart() throws Exception {
    try (service) {
      Collected one = new Collected();
      Collected other = new Collected();
      service.node.append(
          List.of(
              appending(one, service.fixtures.single(1)),
              appending(other, service.fixtures.single(2)),
              appending(one, service.fixtures.single(3))),
          0);
      for (Collected stream : List.of(one, other, one)) {
        ReceiptedRun run = stream.next();
        assertThat(run.waiters()).hasSize(1);
        assertProves(run);
      }
    }
  }

  @Test
  void boundsWhatSharesAReceipt() throws Exception {
    try (service) {
      Collected stream = new Collected();
      List<Appending> together = new ArrayList<>();
      together.add(appending(stream, service.fixtures.batch(10_000, 300)));
      for (int i = 0; i < 300; i++) {
        together.add(appending(stream, service.fixtures.single(i)));
      }
      service.node.append(together, 0);
      int told = 0;
      while (told < together.size()) {
        ReceiptedRun run = stream.next();
        int journals = run.committed().stream().mapToInt(Committed::count).sum();
        assertThat(journals).isLessThanOrEqualTo(run.waiters().size() == 1 ? 300 : 256);
        assertProves(run);
        told += run.waiters().size();
      }
    }
  }

  private void assertProves(ReceiptedRun run) throws Exception {
    List<Bytes> leaves = new ArrayList<>();
    long jsn = run.committed().getFirst().firstJsn();
    for (Committed committed : run.committed()) {
      assertThat(committed.firstJsn()).isEqualTo(jsn);
      for (int i = 0; i < committed.count(); i++, jsn++) {
        leaves.add(service.node.journal(service.fixtures.strand(), jsn, false).leaf());
      }
    }
    service.verify(run.rangeReceipt(), leaves);
  }
}
