package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.JournalRef;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.node.Backups;
import io.tallystick.node.LedgerNode;
import io.tallystick.server.backup.BackupManifest;
import io.tallystick.server.backup.SharedShardBackup;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.ship.SavepointPointer;
import io.tallystick.server.ship.SavepointRefusedException;
import io.tallystick.server.ship.SavepointStore;
import io.tallystick.server.ship.ShippedPiece;
import io.tallystick.server.ship.ShippingPlaces;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.cluster.TwinCluster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what the owner of a shard erases or drops while a backup is being made neither comes into
/// the backup nor ends it. Method: servers on twins; the owner acts between two steps of the
/// backup.
class SharedShardBackupTest {
  private static final ShardConfig OFTEN =
      TestNode.CONFIG.withShipping(new ShardConfig.Shipping(1, 0));
  private static final ShardConfig NEVER =
      TestNode.CONFIG.withShipping(new ShardConfig.Shipping(Long.MAX_VALUE, Long.MAX_VALUE / 2));
  private static final String SECRET = "payload 777";

  @TempDir Path home;
  private final TwinCluster cluster = new TwinCluster(20_261_128);
  private final Fixtures ledger = Fixtures.ledger();

  @BeforeEach
  void found() throws Exception {
    cluster.found(TwinServer.SHARD);
  }

  private interface Act {
    void run() throws Exception;
  }

  private static void act(Act act) {
    try {
      act.run();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void append(LedgerNode node, int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      TwinServer.append(node, ledger, ledger.single(i));
    }
  }

  private BackupManifest backUp(ShippingPlaces shipping, Backups.Progress progress)
      throws Exception {
    TwinServer reader = new TwinServer(cluster, "backup", home, NEVER);
    return new SharedShardBackup(
            TwinServer.SHARD,
            reader.seams.store(),
            shipping,
            TestNode.SIGNATURES,
            new CpuBatchHasher(),
            progress)
        .run(
            Files.createDirectories(home.resolve("out")),
            Files.createDirectories(home.resolve("work")));
  }

  private boolean isInBackup(String text) throws IOException {
    try (Stream<Path> files = Files.walk(home.resolve("out"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text)) {
          return true;
        }
      }
      return false;
    }
  }

  /// An older savepoint is pinned, so that nothing is erased before.
  @Test
  void whatIsErasedMeanwhileIsNotInIt() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, OFTEN);
    SavepointPointer pointer = a.common().shipping().pointers().apply(TwinServer.SHARD);
    try (HostedShard shard = a.open()) {
      LedgerNode node = shard.node();
      TwinServer.found(node, ledger);
      TwinServer.append(node, ledger, OccultStory.regulator(ledger));
      long jsn = TwinServer.append(node, ledger, ledger.single(777));
      append(node, 0, 5);
      Waiting.until("a savepoint is shipped", () -> !pointer.read().isEmpty());
      SavepointPointer.Pin pin = pointer.pin(pointer.read().getFirst());
      occult(node, jsn);
      for (int i = 10; i < 20; i += 5) { // the second is of a time behind the occult
        long before = pointer.read().getFirst().position().number();
        append(node, i, i + 5);
        Waiting.until(
            "another is shipped", () -> pointer.read().getFirst().position().number() > before);
      }
      assertThat(cluster.logs().holds(SECRET.getBytes(StandardCharsets.UTF_8))).isTrue();
      AtomicBoolean erased = new AtomicBoolean();
      BackupManifest manifest =
          backUp(
              a.common().shipping(),
              (_, _) -> {
                if (!erased.get() && isInBackup(SECRET)) {
                  erased.set(true);
                  act(() -> erase(node, pin));
                }
              });
      assertThat(erased).as("it was copied before").isTrue();
      assertThat(isInBackup(SECRET)).isFalse();
      assertThat(manifest.heads()).hasSize(1);
      assertThat(manifest.damaged()).isEmpty();
    }
  }

  private void occult(LedgerNode node, long jsn) throws Exception {
    JournalRef named =
        new JournalRef(
            new Jsn(jsn), TreeHasher.leafHash(node.journal(ledger.strand(), jsn, false).leaf()));
    TwinServer.append(
        node, ledger, OccultStory.occult(ledger, new ErasureTarget.Journals(List.of(named))));
  }

  private void erase(LedgerNode node, SavepointPointer.Pin pin) throws Exception {
    pin.close();
    append(node, 20, 22);
    Waiting.until(
        "the bytes are gone", () -> !cluster.logs().holds(SECRET.getBytes(StandardCharsets.UTF_8)));
    append(node, 22, 24);
  }

  @Test
  void aSnapshotThatGivesWayMeanwhileIsNoDamage() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, OFTEN);
    try (HostedShard shard = a.open()) {
      LedgerNode node = shard.node();
      TwinServer.found(node, ledger);
      append(node, 0, 10);
      prepare(node, 2);
      append(node, 10, 20);
      Waiting.until(
          "a savepoint is shipped",
          () -> !Double.isNaN(a.gauge("ledger.shipped.savepoint.age.seconds")));
      SavepointStore objects = a.common().shipping().objects().apply(TwinServer.SHARD);
      AtomicBoolean dropped = new AtomicBoolean();
      ShippingPlaces shipping =
          new ShippingPlaces(
              a.common().shipping().stores(),
              _ ->
                  new Watched(
                      objects,
                      () -> {
                        if (!dropped.getAndSet(true)) {
                          act(() -> drop(node, objects));
                        }
                      }),
              a.common().shipping().pointers(),
              a.common().shipping().software());
      BackupManifest manifest = backUp(shipping, (_, _) -> {});
      assertThat(dropped).isTrue();
      assertThat(
              manifest.parts().stream().filter(part -> part.name().startsWith("objects/")).count())
          .isEqualTo(4);
    }
  }

  private void prepare(LedgerNode node, long height) throws Exception {
    var _ = node.purges().orElseThrow().prepare(ledger.strand(), height, List.of());
  }

  /// Only four are kept that no purge names.
  private void drop(LedgerNode node, SavepointStore objects) throws Exception {
    Bytes oldest = objects.list().getFirst().id();
    for (int height = 3; height < 7; height++) {
      prepare(node, height);
    }
    append(node, 20, 22);
    Waiting.until(
        "its object is gone",
        () -> objects.list().stream().noneMatch(part -> part.id().equals(oldest)));
  }

  /// Tells of each reading.
  private record Watched(SavepointStore store, Runnable read) implements SavepointStore {
    @Override
    public Upload begin(long epoch) throws IOException {
      return store.begin(epoch);
    }

    @Override
    public ByteBuffer get(ShippedPiece piece) throws IOException, SavepointRefusedException {
      read.run();
      return store.get(piece);
    }

    @Override
    public List<Part> list() throws IOException {
      return store.list();
    }

    @Override
    public void delete(Bytes part) throws IOException {
      store.delete(part);
    }
  }
}
