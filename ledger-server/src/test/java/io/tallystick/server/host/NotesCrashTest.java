package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptAnchors;
import io.tallystick.server.host.NoteStory.HalfAnsweredException;
import io.tallystick.server.host.NoteStory.Kept;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: wherever the machine dies, or a force fails, a note that was answered is there, any other
/// wholly or not at all; of two changes of one row that follow from the same value one is done; no
/// member has more anchors than it may. Method: as {@link ShardCrashTest}: crash at each operation
/// of a run that appends, proposes, signs, withdraws and sets anchors with small savepoints; then
/// go on to the end, and open once more.
class NotesCrashTest {
  private static final ShardConfig CONFIG = TestNode.CONFIG.withSavepointEvery(2, 3_600_000);

  private final NoteStory story = new NoteStory();

  /// How far a run came.
  private static final class Progress {
    int done;

    /// After those that are done.
    Kept kept = Kept.NOTHING;

    /// What may be there.
    List<Kept> possible = List.of(Kept.NOTHING);
  }

  private boolean run(Disk disk, MetaStore meta, Progress progress) {
    try (TestNode service = new TestNode(disk, meta, CONFIG)) {
      service.found();
      while (progress.done < story.changes.size()) {
        ask(service, progress);
      }
      return true;
    } catch (Exception died) {
      return false;
    }
  }

  /// The next change.
  private void ask(TestNode service, Progress progress) throws Exception {
    NoteStory.Change change = story.changes.get(progress.done);
    progress.possible = change.outcomes(progress.kept);
    try {
      progress.kept = change.ask(service, progress.kept);
    } catch (HalfAnsweredException half) {
      progress.possible = List.of(half.kept);
      throw half;
    }
    progress.possible = List.of(progress.kept);
    progress.done++;
  }

  /// Looks what is there, and goes on behind it.
  private void look(TestNode service, Progress progress, String when) throws Exception {
    Kept kept = story.read(service);
    assertThat(progress.possible).as(when).contains(kept);
    assertThat(kept.anchors()).as(when).hasSizeLessThanOrEqualTo(KeptAnchors.PER_MEMBER_MAX);
    if (!kept.equals(progress.kept)) {
      progress.kept = kept;
      progress.done++;
    }
    progress.possible = List.of(kept);
  }

  private void checkRecovered(Disk disk, MetaStore meta, Progress progress, String when)
      throws Exception {
    try (TestNode service = new TestNode(disk, meta, CONFIG, Fixtures.TIME_MS + 100)) {
      look(service, progress, when);
      service.found();
      while (progress.done < story.changes.size()) {
        ask(service, progress);
      }
    }
    try (TestNode again = new TestNode(disk, meta, CONFIG, Fixtures.TIME_MS + 100)) {
      look(again, progress, "opened once more after " + when);
    }
  }

  @Test
  void keepsWhatWasAnsweredWhereverItCrashes() throws Exception {
    CrashPlan clean = CrashPlan.never();
    assertThat(run(new CrashingDisk(clean), new CrashingMetaStore(clean), new Progress()))
        .as("the clean run")
        .isTrue();
    SplittableRandom random = new SplittableRandom(20_261_127);
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      Progress progress = new Progress();
      var _ = run(disk, meta, progress);
      plan.crashNow();
      checkRecovered(disk.afterCrash(), meta.afterCrash(), progress, "crash at operation " + at);
    }
  }

  /// The shard reopens itself: the same service goes on.
  @Test
  void keepsWhatWasAnsweredAfterAFailedForce() throws Exception {
    CrashPlan clean = CrashPlan.never();
    int founded;
    try (TestNode service =
        new TestNode(new CrashingDisk(clean), new CrashingMetaStore(clean), CONFIG)) {
      service.found();
      founded = clean.operations();
      Progress progress = new Progress();
      while (progress.done < story.changes.size()) {
        ask(service, progress);
      }
    }
    SplittableRandom random = new SplittableRandom(7);
    for (int at = founded; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.failForceAt(at, random.split());
      String when = "failed force at operation " + at;
      try (TestNode service =
          new TestNode(new CrashingDisk(plan), new CrashingMetaStore(plan), CONFIG)) {
        Progress progress = new Progress();
        service.found();
        while (progress.done < story.changes.size()) {
          askAgain(service, progress, when);
        }
        look(service, progress, when);
      }
    }
  }

  private void askAgain(TestNode service, Progress progress, String when) throws Exception {
    long deadline = Waiting.deadline();
    Exception last = null;
    while (!Waiting.isOver(deadline)) {
      try {
        if (last != null) {
          story.awaitServing(service);
          look(service, progress, when);
        }
        if (progress.done < story.changes.size()) {
          ask(service, progress);
        }
        return;
      } catch (IllegalStateException | RequestRejectedException | HalfAnsweredException unknown) {
        last = unknown;
        Thread.sleep(2);
      }
    }
    throw new AssertionError(when, last);
  }
}
