package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerPurges;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StateReads;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.state.StateValue;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: wherever the machine dies while a purge of a ledger with a state is prepared, committed
/// and carried out, after a copied value is occulted: values of the state stay, and others go.
/// Method: crash at each operation of a run; then open again, send all once more, and search.
class StatePurgeCrashTest {
  private static final ShardConfig CONFIG = TestNode.CONFIG.withSavepointEvery(90, 3_600_000);
  private static final int BLOCKS = 8;
  private static final int OCCULTED = 3;
  private static final Bytes LAST = Bytes.utf8("last");

  private final Fixtures ledger = Fixtures.ledger().withSmallState();

  private static Bytes own(int i) {
    return Bytes.utf8("own " + i);
  }

  private static Bytes value(int i) {
    return Fixtures.bytes32("value " + i);
  }

  private static Bytes last(int i) {
    return Fixtures.bytes32("last value " + i);
  }

  private Submission write(int i) {
    return ledger.writing(i, DraftOp.put(own(i), value(i)), DraftOp.put(LAST, last(i)));
  }

  /// The whole story, from the start or once more.
  private void tell(TestNode service) throws Exception {
    service.found(ledger);
    service.append(ledger, OccultStory.regulator(ledger));
    List<Long> jsns = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      jsns.add(service.append(ledger, write(i)).committed().firstJsn());
    }
    LedgerPurges purges = service.node.purges().orElseThrow();
    Submission purge;
    try {
      Snapshot snapshot = Snapshot.decode(purges.prepare(ledger.strand(), BLOCKS + 1, List.of()));
      purge =
          ledger.govern(
              Kind.PURGE,
              new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0),
              Fixtures.ALICE);
    } catch (RequestRejectedException refusal) {
      assertThat(refusal.code()).isEqualTo(RejectionCode.PURGE_TOO_LOW);
      return; // it was purged before the crash
    }
    occult(service, jsns.get(OCCULTED));
    service.append(ledger, write(BLOCKS));
    service.append(ledger, purge);
    service.clock.addAndGet(10);
    service.append(ledger, ledger.single(20_000));
  }

  private void occult(TestNode service, long jsn) throws Exception {
    try {
      service.append(
          ledger, OccultStory.occult(ledger, OccultStory.journals(service, ledger, jsn)));
    } catch (RequestRejectedException refusal) {
      assertThat(refusal.code()).isEqualTo(RejectionCode.ALREADY_OCCULTED);
    }
  }

  private boolean run(Disk disk, MetaStore meta) {
    try (TestNode service = new TestNode(disk, meta, CONFIG)) {
      tell(service);
      OccultStory.awaitErased(service, 2);
      return true;
    } catch (Exception | AssertionError died) {
      return false;
    }
  }

  private void checkRecovered(InMemoryDisk disk, InMemoryMetaStore meta, String when)
      throws Exception {
    try (TestNode service = new TestNode(disk, meta, CONFIG, Fixtures.TIME_MS + 100)) {
      tell(service);
      OccultStory.awaitErased(service, 2);
      assertThat(OccultStory.done(service)).as(when).isEqualTo(2);
      for (int i = 0; i <= BLOCKS; i++) {
        ReadValue read =
            service.node.state(ledger.strand(), own(i), StateReads.NEWEST, true).value();
        List<String> found = OccultStory.found(disk, meta, value(i).toArray());
        if (i == OCCULTED) {
          assertThat(read.value()).as("%d, %s", i, when).isEmpty();
          assertThat(found).as("%d, %s", i, when).isEmpty();
        } else {
          assertThat(read.value().map(StateValue::value)).as("%d, %s", i, when).contains(value(i));
          assertThat(found).as("%d, %s", i, when).hasSize(1);
        }
        if (i < BLOCKS - 1) {
          assertThat(OccultStory.found(disk, meta, last(i).toArray())).as(when).isEmpty();
        }
      }
    }
  }

  @Test
  void valuesStayWhereverItCrashes() throws Exception {
    CrashPlan clean = CrashPlan.never();
    assertThat(run(new CrashingDisk(clean), new CrashingMetaStore(clean)))
        .as("the clean run")
        .isTrue();
    SplittableRandom random = new SplittableRandom(20_261_126);
    for (int at = 20; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      var _ = run(disk, meta);
      plan.crashNow();
      checkRecovered(disk.afterCrash(), meta.afterCrash(), "crash at operation " + at);
    }
  }
}
