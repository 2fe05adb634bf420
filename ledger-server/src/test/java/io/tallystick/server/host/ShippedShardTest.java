package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.server.ship.DirectorySavepoints;
import io.tallystick.server.ship.FilePointer;
import io.tallystick.server.ship.SavepointFetcher;
import io.tallystick.server.ship.SavepointManifest;
import io.tallystick.server.ship.SavepointShipper;
import io.tallystick.server.ship.ShippedEnd;
import io.tallystick.server.ship.ShippedFile;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Goal: a shard goes on from a shipped savepoint and the stream as if it were the one that shipped
/// it. Method: a shard with something of everything ships, goes on, and is closed; another one is
/// fetched onto an empty disk and opened over the same stream.
class ShippedShardTest {
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final InMemoryDisk volume = new InMemoryDisk();
  private final DirectorySavepoints store = new DirectorySavepoints(volume, "", new Random(1));
  private final FilePointer pointer = new FilePointer(volume);
  private final ShippedEnd end = new ShippedEnd(() -> {});
  private final ShippedStory story = new ShippedStory();

  private SavepointManifest fetch(InMemoryDisk to) throws Exception {
    return new SavepointFetcher(
            ShippedStory.SHARD,
            store,
            pointer,
            ShippedStory.SOFTWARE,
            () -> java.time.Instant.ofEpochMilli(Fixtures.TIME_MS))
        .fetch(to);
  }

  @Test
  void anotherShardGoesOnFromAShippedSavepoint() throws Exception {
    Map<String, Object> answers;
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG)) {
      SavepointShipper shipper = ShippedStory.shipper(node, store, pointer, end);
      story.found(node);
      story.write(node, story.states, 30);
      story.write(node, story.purged, 30);
      story.note(node, 0, 5);
      story.occult(node);
      story.purge(node);
      OccultStory.awaitErased(meta, 2);
      assertThat(ShippedStory.ship(node, shipper)).isTrue();
      story.write(node, story.states, 10);
      story.note(node, 5, story.notes.changes.size());
      answers = story.answers(node);
    }
    InMemoryDisk fetched = new InMemoryDisk();
    SavepointManifest manifest = fetch(fetched);
    assertThat(manifest.files()).extracting(ShippedFile::name).anyMatch(name -> name.startsWith("forest/")).anyMatch(name -> name.endsWith(".part")).anyMatch(name -> name.startsWith("patricia/")).anyMatch(name -> name.startsWith("images/"));
    InMemoryMetaStore rows = ShippedStory.rowsOf(fetched);
    try (TestNode other = ShippedStory.open(fetched, rows, ShippedStory.streams(disk))) {
      assertThat(story.answers(other)).isEqualTo(answers);
      assertThat(other.stateRebuilds() + other.clueRebuilds()).isZero();
      story.write(other, story.states, 5);
    }
    assertThat(ShippedStory.rows(rows).keySet()).containsAll(ShippedStory.rows(meta).keySet());
  }
}
