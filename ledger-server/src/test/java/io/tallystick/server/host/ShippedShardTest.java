package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.model.Bytes;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.Ownership;
import io.tallystick.server.shard.SavedCopies;
import io.tallystick.server.shard.SavedCopy;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardRemovals;
import io.tallystick.server.ship.DirectorySavepoints;
import io.tallystick.server.ship.FilePointer;
import io.tallystick.server.ship.PublishedSavepoint;
import io.tallystick.server.ship.SavepointFetcher;
import io.tallystick.server.ship.SavepointManifest;
import io.tallystick.server.ship.SavepointPointer;
import io.tallystick.server.ship.SavepointRefusedException;
import io.tallystick.server.ship.SavepointRefusedException.Reason;
import io.tallystick.server.ship.SavepointShipper;
import io.tallystick.server.ship.SavepointStore;
import io.tallystick.server.ship.ShippedEnd;
import io.tallystick.server.ship.ShippedFile;
import io.tallystick.server.ship.ShippingThread;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a shard goes on from a shipped savepoint and the stream as if it were the one that shipped
/// it, and what is kept of savepoints is what may be needed. Method: a shard with something of
/// everything ships, goes on, and is closed; another one is fetched onto an empty disk and opened
/// over the same stream.
class ShippedShardTest {
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final InMemoryDisk volume = new InMemoryDisk();
  private final DirectorySavepoints store = new DirectorySavepoints(volume, "", new Random(1));
  private final FilePointer pointer = new FilePointer(volume);
  private final AtomicInteger moves = new AtomicInteger();
  private final ShippedEnd end = new ShippedEnd(moves::incrementAndGet);
  private final ShippedStory story = new ShippedStory();

  private SavepointManifest fetch(InMemoryDisk to) throws Exception {
    return ShippedStory.fetcher(store, pointer).fetch(to);
  }

  private void tellAll(TestNode node) throws Exception {
    story.found(node);
    story.write(node, story.states, 30);
    story.write(node, story.purged, 30);
    story.note(node, 0, 5);
    story.occult(node);
    story.purge(node);
  }

  @Test
  void anotherShardGoesOnFromAShippedSavepoint() throws Exception {
    Map<String, Object> answers;
    NavigableMap<Long, String> values;
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG)) {
      tellAll(node);
      OccultStory.awaitErased(node, 2);
      assertThat(ShippedStory.ship(node, ShippedStory.shipper(node, store, pointer, end))).isTrue();
      story.write(node, story.states, 10);
      story.note(node, 5, story.notes.changes.size());
      answers = story.answers(node);
      values = story.values(node);
    }
    InMemoryDisk fetched = new InMemoryDisk();
    assertThat(fetch(fetched).files())
        .extracting(ShippedFile::name)
        .anyMatch(name -> name.endsWith(".part"))
        .anyMatch(name -> name.startsWith("forest/") && name.endsWith(".slots"))
        .anyMatch(name -> name.startsWith("patricia/"))
        .anyMatch(name -> name.startsWith("images/"));
    InMemoryMetaStore rows = ShippedStory.rowsOf(fetched);
    try (TestNode other = ShippedStory.open(fetched, rows, ShippedStory.streams(disk))) {
      assertThat(story.answers(other)).isEqualTo(answers);
      NavigableMap<Long, String> same = story.values(other);
      assertThat(same).hasSizeGreaterThan(20);
      same.keySet().retainAll(values.keySet());
      assertThat(values).hasSizeGreaterThan(20).containsAllEntriesOf(same);
      assertThat(other.stateRebuilds() + other.clueRebuilds()).isZero();
    }
    Map<String, String> others = ShippedStory.rows(rows);
    Map<String, String> first = ShippedStory.rows(meta);
    assertThat(others.keySet()).isEqualTo(first.keySet());
    others.entrySet().removeAll(first.entrySet());
    assertThat(others).as("rows that are not the same").isEmpty();
  }

  /// What a service on a directory answered before it ended.
  private record Answered(Map<String, Object> answers, long size) {}

  /// The service has arrays in files, RocksDB, and threads of its own. It writes on while all is
  /// copied, over what the savepoint does not need.
  @Test
  void aRealDirectoryIsShippedWhileTheServiceWrites(@TempDir Path home) throws Exception {
    Fixtures plain = Fixtures.ledger(Fixtures.TIME_MS + 3);
    Answered before = shipWhileItWrites(home, plain);
    try (LocalDisk on = LocalDisk.open(home.resolve("volume"))) {
      SavepointManifest manifest =
          ShippedStory.fetcher(
                  new DirectorySavepoints(on, "shard-0", new Random(3)), new FilePointer(on))
              .fetch(home.resolve("b"));
      assertThat(manifest.files())
          .extracting(ShippedFile::name)
          .contains("meta/CURRENT")
          .anyMatch(name -> name.startsWith("index/"));
    }
    try (LocalDisk stream = LocalDisk.open(home.resolve("a"));
        LocalDisk mine = LocalDisk.open(home.resolve("b"));
        RocksMetaStore rows = RocksMetaStore.open(home.resolve("b/meta"))) {
      LocalStreamStore streams =
          LocalStreamStore.open(stream, NodeParts.STREAM_DIRECTORY, StreamSettings.DEFAULT);
      try (TestNode other =
          new TestNode(
              mine,
              rows,
              streams,
              new LocalEpochs(rows, streams),
              ShippedStory.CONFIG,
              new CpuBatchHasher(),
              Fixtures.RECEIPT)) {
        assertThat(other.node.newestSize(plain.strand())).isEqualTo(before.size());
        assertThat(story.answers(other)).isEqualTo(before.answers());
        assertThat(other.stateRebuilds() + other.clueRebuilds()).isZero();
      }
    }
  }

  private Answered shipWhileItWrites(Path home, Fixtures plain) throws Exception {
    try (NodeOnDisk first =
            new NodeOnDisk(
                home.resolve("a"), StreamSettings.DEFAULT, ShippedStory.CONFIG, Fixtures.TIME_MS);
        LocalDisk on = LocalDisk.open(home.resolve("volume"))) {
      TestNode node = first.service;
      AtomicBoolean meanwhile = new AtomicBoolean();
      SavepointStore writing =
          new ForwardingSavepoints(new DirectorySavepoints(on, "shard-0", new Random(2))) {
            @Override
            public Upload begin(long epoch) throws IOException {
              meanwhile.set(true);
              try {
                story.write(node, story.states, 40); // savepoints come and go
              } catch (Exception e) {
                throw new IOException(e);
              }
              return super.begin(epoch);
            }
          };
      tellAll(node);
      node.found(plain);
      for (int i = 0; i < 7; i++) {
        node.append(plain, plain.batch(100_000 + 10_000 * i, 10_000));
      }
      SavepointShipper shipper = ShippedStory.shipper(node, writing, new FilePointer(on), end);
      assertThat(ShippedStory.ship(node, shipper)).isTrue();
      assertThat(meanwhile).isTrue();
      node.append(plain, plain.batch(900_000, 1_000));
      assertThat(home.resolve("a/meta.checkpoint")).doesNotExist();
      return new Answered(story.answers(node), node.node.newestSize(plain.strand()));
    }
  }

  private static Set<String> parts(InMemoryDisk of) {
    Set<String> parts = new HashSet<>();
    of.names().stream()
        .filter(name -> name.contains("/"))
        .forEach(name -> parts.add(name.substring(0, name.indexOf('/'))));
    return parts;
  }

  @Test
  void onlyWhatIsNewIsSent(@TempDir Path home) throws Exception {
    try (NodeOnDisk first =
        new NodeOnDisk(home, StreamSettings.DEFAULT, ShippedStory.CONFIG, Fixtures.TIME_MS)) {
      TestNode node = first.service;
      SavepointShipper shipper = ShippedStory.shipper(node, store, pointer, end);
      story.found(node);
      story.write(node, story.states, 60);
      ShippedStory.ship(node, shipper);
      long all = shipper.counts().bytes();
      assertThat(ShippedStory.ship(node, shipper)).as("nothing is new").isFalse();
      story.write(node, story.states, 1);
      ShippedStory.ship(node, shipper);
      assertThat(shipper.counts().bytes() - all).as("of %d", all).isBetween(1L, all / 2);

      SavepointShipper next = ShippedStory.shipper(node, store, pointer, end);
      story.write(node, story.states, 1);
      ShippedStory.ship(node, next);
      assertThat(next.counts().bytes()).as("of one that read the pointer").isLessThan(all / 2);
    }
  }

  @Test
  void twoAreKeptAndThoseThatArePinned() throws Exception {
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG)) {
      SavepointShipper shipper = ShippedStory.shipper(node, store, pointer, end);
      story.found(node);
      story.write(node, story.states, 10);
      ShippedStory.ship(node, shipper);
      PublishedSavepoint first = pointer.read().getFirst();
      SavepointPointer.Pin pin = pointer.pin(first);
      for (int i = 0; i < 6; i++) {
        story.write(node, story.states, 10);
        ShippedStory.ship(node, shipper);
        assertThat(pointer.read()).hasSize(2);
        assertThat(end.frame()).isEqualTo(first.position().frame());
        InMemoryDisk fetched = new InMemoryDisk();
        fetch(fetched);
      }
      assertThat(parts(volume)).anyMatch(name -> name.contains(hex(first.manifest().part())));
      pin.close();
      node.clock.addAndGet(5_000); // until it looks
      assertThat(shipper.turn()).as("it is no time for another").isFalse();
      assertThat(end.frame()).isEqualTo(pointer.read().getLast().position().frame());
      int kept = parts(volume).size();
      for (int i = 0; i < 20; i++) {
        story.write(node, story.states, 2);
        ShippedStory.ship(node, shipper);
      }
      assertThat(parts(volume)).as("parts do not gather").hasSizeLessThan(kept + 8);
      fetch(new InMemoryDisk());
    }
  }

  private static String hex(Bytes part) {
    return part.hex().substring(16);
  }

  /// Frames that an older savepoint would replay are erased only when it is gone.
  @Test
  void aRemovalLeavesOneSavepointAndOpensTheGate() throws Exception {
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG)) {
      SavepointShipper shipper = ShippedStory.shipper(node, store, pointer, end);
      story.found(node);
      story.write(node, story.states, 5);
      ShippedStory.ship(node, shipper);
      story.write(node, story.states, 5);
      ShippedStory.ship(node, shipper);
      assertThat(pointer.read()).hasSize(2);
      int before = moves.get();
      story.occult(node);
      ShippedStory.ship(node, shipper);
      assertThat(pointer.read()).hasSize(1);
      assertThat(end.frame()).isEqualTo(pointer.read().getFirst().position().frame());
      assertThat(moves.get()).isGreaterThan(before);
      story.write(node, story.states, 5);
      ShippedStory.ship(node, shipper);
      assertThat(pointer.read()).hasSize(2);
    }
  }

  /// In a cluster nothing goes before a shipped savepoint has the removal, whatever was saved here.
  @Test
  void nothingIsErasedBeforeItsRemovalIsShipped() throws Exception {
    AtomicReference<TestNode> open = new AtomicReference<>();
    ShippedEnd shipped = new ShippedEnd(() -> open.get().node.shard().removals().removalSaved());
    Ownership cluster =
        new Ownership() {
          @Override
          public long shippedTo() {
            return shipped.frame();
          }
        };
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG, cluster)) {
      open.set(node);
      SavepointShipper shipper = ShippedStory.shipper(node, store, pointer, shipped);
      story.found(node);
      story.write(node, story.states, 5);
      ShippedStory.ship(node, shipper);
      story.occult(node);
      story.write(node, story.states, 20);
      for (int i = 0; i < 10; i++) {
        assertThat(node.node.shard().erasureTurn()).isEqualTo(ShardRemovals.Left.NOTHING);
        Thread.sleep(20);
      }
      assertThat(OccultStory.found(disk, meta, ShippedStory.GONE)).isNotEmpty();
      assertThat(OccultStory.done(node)).isZero();
      ShippedStory.ship(node, shipper);
      OccultStory.awaitErased(node, 1);
      assertThat(OccultStory.found(disk, meta, ShippedStory.GONE)).isEmpty();
    }
    InMemoryDisk fetched = new InMemoryDisk();
    fetch(fetched);
    InMemoryMetaStore rows = ShippedStory.rowsOf(fetched);
    try (TestNode other = ShippedStory.open(fetched, rows, ShippedStory.streams(disk))) {
      OccultStory.awaitErased(other, 1);
      assertThat(OccultStory.found(fetched, rows, ShippedStory.GONE)).isEmpty();
      assertThat(other.node.newestSize(story.states.strand())).isPositive();
    }
  }

  @Test
  void whoLostTheShardPublishesNothing() throws Exception {
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG)) {
      FilePointer zombie = new FilePointer(volume);
      SavepointShipper late = ShippedStory.shipper(node, store, zombie, end);
      SavepointShipper shipper = ShippedStory.shipper(node, store, pointer, end);
      story.found(node);
      story.write(node, story.states, 10);
      ShippedStory.ship(node, late);
      pointer.claim(2);
      story.write(node, story.states, 10);
      ShippedStory.ship(node, shipper);
      List<PublishedSavepoint> named = pointer.read();
      story.write(node, story.states, 10);
      assertThatThrownBy(() -> ShippedStory.ship(node, late))
          .isInstanceOf(StreamFencedException.class);
      assertThat(pointer.read()).isEqualTo(named);
      fetch(new InMemoryDisk());
      story.write(node, story.states, 10);
      ShippedStory.ship(node, shipper);
      assertThat(parts(volume))
          .as("what it sent is swept")
          .filteredOn(name -> name.startsWith("0000000000000001"))
          .hasSizeLessThan(3);
    }
  }

  /// By the clock at rest, by journals under load.
  @Test
  void shipsWhenItIsTime() throws Exception {
    ShardConfig.Shipping pace = new ShardConfig.Shipping(50, 60_000);
    AtomicLong clock = new AtomicLong(Fixtures.TIME_MS);
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG.withShipping(pace))) {
      SavepointShipper shipper =
          new SavepointShipper(
              ShippedStory.SHARD,
              node.node.shard().copies(),
              store,
              pointer,
              new SavepointShipper.Settings(pace, ShippedStory.SOFTWARE, ShippedStory.PIECE_BYTES),
              () -> Instant.ofEpochMilli(clock.get()),
              end);
      story.found(node);
      story.write(node, story.states, 3);
      assertThat(shipper.turn()).isFalse();
      assertThat(shipper.turn()).isFalse();
      clock.addAndGet(60_000);
      Waiting.until("it is shipped at rest", shipper::turn);
      clock.addAndGet(60_000);
      for (int i = 0; i < 5; i++) {
        assertThat(shipper.turn()).as("nothing has come").isFalse();
        Thread.sleep(20);
      }
      story.write(node, story.states, 30);
      Waiting.until("it is shipped under load", shipper::turn);
      assertThat(shipper.counts().savepoints()).isEqualTo(2);
      try (ShippingThread _ = ShippingThread.start(ShippedStory.SHARD, shipper)) {
        story.write(node, story.states, 30);
        Waiting.until("a thread ships it", () -> shipper.counts().savepoints() == 3);
      }
    }
  }

  @Test
  void whatIsCopiedWhileTheShardEndsIsNoSavepoint() throws Exception {
    TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG);
    SavedCopies copies = node.node.shard().copies();
    story.found(node);
    try (SavedCopy copy = ShippedStory.saved(node)) {
      assertThat(copy.isWhole()).isTrue();
      assertThatThrownBy(copies::ask).isInstanceOf(IllegalStateException.class);
    }
    try (SavedCopy copy = ShippedStory.saved(node)) {
      node.close();
      assertThat(copy.isWhole()).isFalse();
    }
    assertThat(copies.ask()).isCompletedExceptionally();
  }

  @Test
  void damageIsNamedAndLeavesNothing(@TempDir Path home) throws Exception {
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG)) {
      story.found(node);
      story.write(node, story.states, 20);
      ShippedStory.ship(node, ShippedStory.shipper(node, store, pointer, end));
    }
    Path to = home.resolve("shard");
    assertThat(Files.exists(to)).isFalse();
    for (String piece : volume.names()) {
      if (!piece.contains("/")) {
        continue;
      }
      String name = piece.substring(piece.indexOf('/') + 1);
      InMemoryDisk damaged = volume.copy();
      damaged.flipBit(piece, damaged.size(piece) / 2, 3);
      assertRefused(damaged, to, Reason.DAMAGED, name);
      InMemoryDisk lacking = volume.copy();
      lacking.delete(piece);
      assertRefused(lacking, to, Reason.MISSING, name);
    }
    assertRefused(new InMemoryDisk(), to, Reason.NONE, "shard 0");
    ShippedStory.fetcher(store, pointer).fetch(to);
    assertThat(to.resolve("meta/rows")).exists();
    assertThatThrownBy(() -> ShippedStory.fetcher(store, pointer).fetch(to))
        .isInstanceOf(DirectoryNotEmptyException.class);
  }

  private static void assertRefused(InMemoryDisk from, Path to, Reason reason, String piece) {
    assertThatThrownBy(() ->
            ShippedStory.fetcher(
                    new DirectorySavepoints(from, "", new Random(1)), new FilePointer(from))
                .fetch(to))
        .isInstanceOfSatisfying(
            SavepointRefusedException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(reason))
        .hasMessageContaining(piece);
    assertThat(to).doesNotExist();
  }

  @Test
  void anotherShardsAndANewerSavepointAreRefused() throws Exception {
    try (TestNode node = new TestNode(disk, meta, ShippedStory.CONFIG)) {
      story.found(node);
      ShippedStory.ship(node, ShippedStory.shipper(node, store, pointer, end));
    }
    assertThatThrownBy(() ->
            new SavepointFetcher(
                    new StreamId(7), store, pointer, ShippedStory.SOFTWARE, () -> Instant.EPOCH, 0)
                .fetch(new InMemoryDisk()))
        .isInstanceOfSatisfying(
            SavepointRefusedException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(Reason.FOREIGN));
    assertThatThrownBy(() ->
            new SavepointFetcher(
                    ShippedStory.SHARD,
                    store,
                    pointer,
                    new SavepointManifest.Software("older", 0),
                    () -> Instant.EPOCH,
                    0)
                .fetch(new InMemoryDisk()))
        .isInstanceOfSatisfying(
            SavepointRefusedException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(Reason.NEWER_FORMAT));
  }
}
