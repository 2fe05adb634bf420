package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.BodyState;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.JournalView;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: wherever the machine dies while an occult is committed and carried out, it happens whole
/// or not at all: a body that an acknowledged occult names is never read again, its bytes go, and
/// no other body is lost. Method: crash, or fill the disk, at each operation of a run with two
/// occults; then open again, send all once more, and search all files and rows.
class OccultCrashTest {
  private static final ShardConfig CONFIG = TestNode.CONFIG.withSavepointEvery(7, 3_600_000);
  private static final int GONE = 777;
  private static final int GONE_TOO = 802;
  private static final List<Integer> KEPT = List.of(800, 801, 803, 804, 900);

  private final Fixtures ledger = Fixtures.ledger();

  /// What the client was told before the crash.
  private static final class Told {
    final List<Long> occulted = new ArrayList<>();
    boolean ended;
  }

  private void append(TestNode service, Submission submission) throws RequestRejectedException {
    service.append(ledger, submission);
  }

  /// The whole story, from the start or once more: what was committed before is answered as a
  /// repeat.
  private void tell(TestNode service, Told told) throws Exception {
    service.found(ledger);
    append(service, OccultStory.regulator(ledger));
    long first = service.append(ledger, ledger.single(GONE)).committed().firstJsn();
    long batch = service.append(ledger, ledger.batch(800, 5)).committed().firstJsn();
    occult(service, told, first);
    append(service, ledger.single(900));
    occult(service, told, batch + 2);
  }

  private void occult(TestNode service, Told told, long jsn) throws RequestRejectedException {
    append(service, OccultStory.occult(ledger, OccultStory.journals(service, ledger, jsn)));
    told.occulted.add(jsn);
  }

  private Told run(Disk disk, MetaStore meta) {
    Told told = new Told();
    try (TestNode service = new TestNode(disk, meta, CONFIG)) {
      tell(service, told);
      OccultStory.awaitErased(service, 2);
      told.ended = true;
    } catch (Exception died) {
      // What was told so far is what counts.
    }
    return told;
  }

  private void checkRecovered(InMemoryDisk disk, InMemoryMetaStore meta, Told told, String when)
      throws Exception {
    try (TestNode service = new TestNode(disk, meta, CONFIG)) {
      for (long jsn : told.occulted) {
        assertThat(read(service, jsn).bodyState())
            .as("%d, %s", jsn, when)
            .isEqualTo(BodyState.ERASED);
      }
      tell(service, told);
      OccultStory.awaitErased(service, 2);
      assertThat(OccultStory.done(service)).as(when).isEqualTo(2);
      assertThat(OccultStory.found(disk, meta, GONE)).as(when).isEmpty();
      assertThat(OccultStory.found(disk, meta, GONE_TOO)).as(when).isEmpty();
      for (int number : KEPT) {
        assertThat(OccultStory.found(disk, meta, number)).as("%d, %s", number, when).isNotEmpty();
      }
      checkBodies(service, when);
    }
  }

  private void checkBodies(TestNode service, String when) throws Exception {
    int erased = 0;
    long size = service.node.newestSize(ledger.strand());
    for (long jsn = 0; jsn < size; jsn++) {
      BodyState state = read(service, jsn).bodyState();
      assertThat(state).as("%d, %s", jsn, when).isNotEqualTo(BodyState.DAMAGED);
      erased += state == BodyState.ERASED ? 1 : 0;
    }
    assertThat(erased).as(when).isEqualTo(2);
  }

  private JournalView read(TestNode service, long jsn) throws RequestRejectedException {
    return service.node.journal(ledger.strand(), jsn, true);
  }

  @Test
  void anOccultIsWholeWhereverItCrashes() throws Exception {
    CrashPlan clean = CrashPlan.never();
    Told all = run(new CrashingDisk(clean), new CrashingMetaStore(clean));
    assertThat(all.ended).as("the clean run").isTrue();
    SplittableRandom random = new SplittableRandom(20_261_125);
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      Told told = run(disk, meta);
      plan.crashNow();
      checkRecovered(disk.afterCrash(), meta.afterCrash(), told, "crash at operation " + at);
    }
  }

  /// The eraser waits for room, the shard for its savepoint.
  @Test
  void aFullDiskDelaysAnErasure() throws Exception {
    CrashPlan clean = CrashPlan.never();
    run(new CrashingDisk(clean), new CrashingMetaStore(clean));
    SplittableRandom random = new SplittableRandom(7);
    for (int at = 20; at < clean.operations(); at += 3) {
      CrashPlan plan = CrashPlan.diskFullAt(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      Told told = new Told();
      String when = "full at operation " + at;
      try (TestNode service = new TestNode(disk, meta, CONFIG)) {
        retry(service, told);
        OccultStory.awaitErased(service, 2);
        checkBodies(service, when);
      }
      plan.crashNow();
      checkRecovered(disk.afterCrash(), meta.afterCrash(), told, when);
    }
  }

  private void retry(TestNode service, Told told) throws Exception {
    long deadline = Waiting.deadline();
    while (true) {
      try {
        tell(service, told);
        return;
      } catch (RequestRejectedException refusal) {
        boolean waits =
            refusal.code() == RejectionCode.STORAGE_FULL
                || refusal.code() == RejectionCode.UNAVAILABLE;
        if (!waits || Waiting.isOver(deadline)) {
          throw refusal;
        }
        service.clock.addAndGet(1_000); // it looks for room again
        Thread.sleep(10);
      } catch (IllegalStateException stopped) {
        if (Waiting.isOver(deadline)) {
          throw stopped;
        }
        Thread.sleep(10); // the outcome of that append is not known
      }
    }
  }
}
