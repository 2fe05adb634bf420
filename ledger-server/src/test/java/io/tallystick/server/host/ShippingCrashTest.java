package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.ship.DirectorySavepoints;
import io.tallystick.server.ship.FilePointer;
import io.tallystick.server.ship.SavepointRefusedException;
import io.tallystick.server.ship.ShippedEnd;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: wherever the machine of the store dies while savepoints are shipped, the pointer leads to
/// a whole one, none older than what was published; and what is fetched is on the disk. Method: a
/// shard ships twice to a disk that crashes at each operation; then all is fetched from what is
/// left, and shipping goes on.
class ShippingCrashTest {
  private final ShippedStory story = new ShippedStory();

  /// The pieces are large, so that there are not too many operations.
  private static int ship(TestNode node, CrashingDisk volume, ShippedEnd end) {
    int published = 0;
    try {
      var shipper =
          ShippedStory.shipper(
              node,
              new DirectorySavepoints(volume, "", new Random(1)),
              new FilePointer(volume),
              end,
              1 << 20);
      for (int i = 0; i < 3; i++) {
        ShippedStory.ship(node, shipper);
        published++;
        node.append(node.fixtures.single((int) (System.nanoTime() & 0xffffff)));
      }
    } catch (IOException died) {
      assertThat(died.toString()).contains("rash");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return published;
  }

  @Test
  void thePointerLeadsToAWholeSavepointWhereverItCrashes() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG)) {
      story.found(node);
      story.write(node, story.states, 8);
      CrashPlan clean = CrashPlan.never();
      assertThat(ship(node, new CrashingDisk(clean), new ShippedEnd(() -> {}))).isEqualTo(3);
      SplittableRandom random = new SplittableRandom(20_261_128);
      int wholes = 0;
      for (int at = 0; at < clean.operations(); at++) {
        CrashPlan plan = CrashPlan.at(at, random.split());
        CrashingDisk volume = new CrashingDisk(plan);
        ShippedEnd end = new ShippedEnd(() -> {});
        int published = ship(node, volume, end);
        plan.crashNow();
        InMemoryDisk left = volume.afterCrash();
        DirectorySavepoints store = new DirectorySavepoints(left, "", new Random(2));
        FilePointer pointer = new FilePointer(left);
        String when = "crash at operation " + at;
        try {
          InMemoryDisk fetched = new InMemoryDisk();
          var manifest = ShippedStory.fetcher(store, pointer).fetch(fetched);
          assertThat(Long.compareUnsigned(end.frame(), manifest.position().frame()))
              .as(when)
              .isLessThanOrEqualTo(0);
          assertThat(ShippedStory.rowsOf(fetched).get(SavepointRow.KEY)).isNotNull();
          wholes++;
        } catch (SavepointRefusedException e) {
          assertThat(e.reason()).as(when).isEqualTo(SavepointRefusedException.Reason.NONE);
          assertThat(published).as(when).isZero();
          assertThat(end.frame()).as(when).isZero();
        }
        ShippedStory.ship(node, ShippedStory.shipper(node, store, pointer, end, 1 << 20));
        ShippedStory.fetcher(store, pointer).fetch(new InMemoryDisk());
      }
      assertThat(wholes).isBetween(10, clean.operations() - 10);
    }
  }

  @Test
  void whatWasFetchedIsOnTheDisk() throws Exception {
    InMemoryDisk volume = new InMemoryDisk();
    DirectorySavepoints store = new DirectorySavepoints(volume, "", new Random(1));
    FilePointer pointer = new FilePointer(volume);
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    Map<String, Object> answers;
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG)) {
      story.found(node);
      story.write(node, story.states, 20);
      ShippedStory.ship(node, ShippedStory.shipper(node, store, pointer, new ShippedEnd(() -> {})));
      story.write(node, story.states, 2);
      answers = story.answers(node);
    }
    CrashPlan plan = CrashPlan.never();
    CrashingDisk to = new CrashingDisk(plan);
    ShippedStory.fetcher(store, pointer).fetch(to);
    plan.crashNow();
    InMemoryDisk fetched = to.afterCrash();
    InMemoryMetaStore rows = ShippedStory.rowsOf(fetched);
    try (TestNode other = ShippedStory.open(fetched, rows, ShippedStory.streams(disk))) {
      assertThat(story.answers(other)).isEqualTo(answers);
    }
  }
}
