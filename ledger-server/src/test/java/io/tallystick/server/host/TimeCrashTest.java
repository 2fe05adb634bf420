package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: wherever the machine dies around a time journal, the next one names the newest that is
/// durable, every journal is anchored in the end, and each is found by its time. Method: as {@link
/// ShardCrashTest}: crash, or let a force fail, at each operation of a run that anchors after every
/// other append.
class TimeCrashTest {
  private static final ShardConfig CONFIG = TestNode.CONFIG.withSavepointEvery(5, 3_600_000);
  private static final Bytes TOKEN = Bytes.utf8("a token");

  private final Fixtures fixtures = Fixtures.ledger();
  private final List<Submission> submissions =
      List.of(
          fixtures.single(1),
          fixtures.single(2),
          fixtures.batch(10, 3),
          fixtures.single(3),
          fixtures.single(4),
          fixtures.govern(
              Kind.CLOSE,
              Extension.Close.INSTANCE,
              Fixtures.owners().toArray(SeededSigner[]::new)));

  /// What the peg was told before the crash.
  private static final class Told {
    final List<AnchoredAt> anchors = new ArrayList<>();
    boolean ended;
  }

  private Told run(Disk disk, MetaStore meta) {
    Told told = new Told();
    try (TestNode service = new TestNode(disk, meta, CONFIG)) {
      service.found(fixtures);
      for (int i = 0; i < submissions.size(); i++) {
        if (i % 2 == 0) {
          told.anchors.addAll(anchorAll(service));
        }
        service.append(fixtures, submissions.get(i));
      }
      told.anchors.addAll(anchorAll(service));
      told.ended = true;
    } catch (Exception died) {
      // What was told so far is what counts.
    }
    return told;
  }

  private List<AnchoredAt> anchorAll(TestNode service) throws RequestRejectedException {
    TimeJournals times = service.node.timeJournals().orElseThrow();
    List<AnchoredAt> anchors = new ArrayList<>();
    for (UnanchoredHead head : times.unanchored(null, 10)) {
      service.clock.addAndGet(10);
      anchors.add(
          times.append(
              new TimeAnchor(
                  head.strand(), head.head(), new TimeProof.Token(TOKEN), service.clock.get())));
    }
    return anchors;
  }

  private void checkRecovered(Disk disk, MetaStore meta, Told told, String when) throws Exception {
    try (TestNode service = new TestNode(disk, meta, CONFIG)) {
      service.clock.addAndGet(1_000);
      finish(service, told, when);
    }
  }

  /// Sends everything once more and anchors what waits.
  private void finish(TestNode service, Told told, String when) throws Exception {
    again(() -> service.found(fixtures), when);
    List<Long> durable = TimeChain.check(service.node, fixtures.strand(), when);
    TimeChain.checkIndex(service.node, fixtures.strand(), durable, when);
    for (AnchoredAt anchor : told.anchors) {
      assertThat(durable).as(when).contains(anchor.jsn());
      assertThat(service.node.blockOf(fixtures.strand(), anchor.jsn()).timeMs())
          .as(when)
          .isEqualTo(anchor.timeMs());
    }
    for (Submission each : submissions) {
      again(() -> service.append(fixtures, each), when);
    }
    again(() -> anchorAll(service), when); // of the first head, in a new log
    again(() -> anchorAll(service), when);
    TimeJournals times = service.node.timeJournals().orElseThrow();
    assertThat(times.unanchored(null, 10)).as(when).isEmpty();
    List<Long> all = TimeChain.check(service.node, fixtures.strand(), when);
    TimeChain.checkIndex(service.node, fixtures.strand(), all, when);
    assertThat(all).as(when).isNotEmpty();
    assertThat(all.subList(0, durable.size())).as(when).isEqualTo(durable);
  }

  @Test
  void theChainGoesOnWhereverItCrashes() throws Exception {
    CrashPlan clean = CrashPlan.never();
    Told all = run(new CrashingDisk(clean), new CrashingMetaStore(clean));
    assertThat(all.ended).as("the clean run").isTrue();
    assertThat(all.anchors).hasSize(4);
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

  /// The shard reopens itself: what was answered with an unknown outcome is there or not, and the
  /// chain has no gap.
  @Test
  void theChainGoesOnAfterAFailedForce() throws Exception {
    CrashPlan clean = CrashPlan.never();
    run(new CrashingDisk(clean), new CrashingMetaStore(clean));
    SplittableRandom random = new SplittableRandom(7);
    for (int at = 20; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.failForceAt(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      String when = "failed force at operation " + at;
      try (TestNode service = openAgain(disk, meta)) {
        Told told = new Told();
        again(() -> service.found(fixtures), when);
        for (int i = 0; i < submissions.size(); i++) {
          Submission each = submissions.get(i);
          if (i % 2 == 0) {
            again(() -> told.anchors.addAll(anchorAll(service)), when);
          }
          again(() -> service.append(fixtures, each), when);
        }
        finish(service, told, when);
      }
    }
  }

  private static TestNode openAgain(Disk disk, MetaStore meta) throws Exception {
    try {
      return new TestNode(disk, meta, CONFIG);
    } catch (IOException failedWhileOpening) {
      return new TestNode(disk, meta, CONFIG);
    }
  }

  private interface Attempt {
    Object run() throws Exception;
  }

  /// Until it is answered with something else than an unknown outcome.
  private static void again(Attempt attempt, String when) throws Exception {
    Exception last = new IllegalStateException(when);
    long deadline = Waiting.deadline();
    while (!Waiting.isOver(deadline)) {
      try {
        attempt.run();
        return;
      } catch (IllegalStateException | RequestRejectedException unknown) {
        if (unknown instanceof RequestRejectedException refusal
            && refusal.code() != RejectionCode.UNAVAILABLE) {
          throw new AssertionError(when, refusal);
        }
        last = unknown;
        Thread.sleep(5);
      }
    }
    throw new AssertionError(when, last);
  }
}
