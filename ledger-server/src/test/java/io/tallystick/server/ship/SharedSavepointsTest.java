package io.tallystick.server.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.server.ship.SavepointRefusedException.Reason;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.replicated.SavepointPath;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.testkit.cluster.TwinCoordination;
import io.tallystick.testkit.cluster.TwinLogs;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Pieces in replicated logs, and the pointer that two servers share, on twins of BookKeeper and
/// ZooKeeper.
class SharedSavepointsTest {
  private static final StreamId SHARD = new StreamId(3);
  private static final ClusterPaths PATHS = new ClusterPaths("test");
  private static final int ENTRY_BYTES = 100;

  private final Random random = new Random(20_261_128);
  private final TwinLogs machines = new TwinLogs(3, random);
  private final TwinCoordination tree = new TwinCoordination(random);
  private final ReplicatedLogs logs = machines.client(_ -> {});
  private final LogSavepoints store = new LogSavepoints(logs, "test", SHARD, ENTRY_BYTES);

  private record Server(Coordination coordination, ShardClaims claims, SharedPointer pointer) {}

  private Server server(String name) {
    Coordination coordination = tree.client(_ -> {});
    ShardClaims claims =
        new ShardClaims(
            coordination,
            PATHS,
            new ShardClaims.Server(name, name + ":1", 1),
            new Random(name.hashCode()));
    return new Server(
        coordination,
        claims,
        new SharedPointer(new SavepointPath(coordination, PATHS, claims, SHARD, random)));
  }

  @BeforeEach
  void found() throws Exception {
    ShardClaims.found(tree.client(_ -> {}), PATHS, List.of(SHARD), random);
  }

  private static ByteBuffer bytes(int count, int seed) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private static ShippedPiece put(SavepointStore.Upload to, ByteBuffer bytes) throws Exception {
    return to.put(ShippedPiece.nameOf(bytes), bytes);
  }

  private static PublishedSavepoint savepoint(long frame, ShippedPiece manifest) {
    return new PublishedSavepoint(new StreamPosition(frame, frame), 1, 2, manifest);
  }

  @Test
  void piecesComeBackFromLogs() throws Exception {
    SavepointStore.Upload upload = store.begin(5);
    List<Integer> sizes = List.of(1, ENTRY_BYTES, ENTRY_BYTES + 1, 7 * ENTRY_BYTES);
    List<ShippedPiece> pieces = new ArrayList<>();
    for (int size : sizes) {
      pieces.add(put(upload, bytes(size, size)));
    }
    upload.finish();
    for (ShippedPiece piece : pieces) {
      assertThat(store.get(piece)).isEqualTo(bytes(piece.bytes(), piece.bytes()));
    }
    assertThat(store.list()).containsExactly(new SavepointStore.Part(pieces.getFirst().part(), 5));
    machines.stop(2);
    put(store.begin(6), bytes(10, 1));
    assertThat(store.list()).as("with one of three machines down").hasSize(2);
    assertThat(new LogSavepoints(logs, "test", new StreamId(4), ENTRY_BYTES).list()).isEmpty();
    assertThat(new LogSavepoints(logs, "other", SHARD, ENTRY_BYTES).list()).isEmpty();
    ShippedPiece last = pieces.getLast();
    machines.damage(ByteBuffer.wrap(last.part().toArray()).getLong(), (int) last.at() + 1, 7);
    assertRefused(last, Reason.DAMAGED);
    assertRefused(new ShippedPiece(last.name(), last.bytes(), last.part(), 99), Reason.MISSING);
    store.delete(last.part());
    store.delete(last.part());
    assertRefused(pieces.getFirst(), Reason.MISSING);
  }

  private void assertRefused(ShippedPiece piece, Reason reason) {
    assertThatThrownBy(() -> store.get(piece))
        .isInstanceOfSatisfying(
            SavepointRefusedException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(reason))
        .hasMessageContaining(piece.name().hex());
  }

  @Test
  void onlyTheOwnerMovesThePointer() throws Exception {
    Server a = server("a");
    Server b = server("b");
    ShippedPiece piece = new ShippedPiece(Sha256.hash(new byte[1]), 1, Bytes.fromHex("07"), 0);
    assertThatThrownBy(a.pointer()::epoch).isInstanceOf(StreamFencedException.class);
    a.claims().claim(SHARD);
    long first = a.pointer().epoch();
    assertThat(a.pointer().read()).isEmpty();
    a.pointer().publish(first, List.of(savepoint(1, piece)));
    a.pointer().publish(first, List.of(savepoint(2, piece), savepoint(1, piece)));
    b.claims().claim(SHARD);
    assertThat(b.pointer().read()).hasSize(2);
    assertThatThrownBy(() -> a.pointer().publish(first, List.of(savepoint(3, piece))))
        .isInstanceOf(StreamFencedException.class);
    b.pointer().publish(b.pointer().epoch(), List.of(savepoint(4, piece)));
    a.claims().claim(SHARD);
    assertThatThrownBy(() -> a.pointer().publish(first, List.of(savepoint(3, piece))))
        .as("what was shipped under an earlier claim")
        .isInstanceOf(StreamFencedException.class);
    assertThat(a.pointer().read()).containsExactly(savepoint(4, piece));
  }

  @Test
  void pinsGoWithTheSessionOfWhoMadeThem() throws Exception {
    Server owner = server("owner");
    Server fetcher = server("fetcher");
    owner.claims().claim(SHARD);
    ShippedPiece piece = new ShippedPiece(Sha256.hash(new byte[1]), 1, Bytes.fromHex("07"), 0);
    owner.pointer().publish(owner.pointer().epoch(), List.of(savepoint(1, piece)));
    SavepointPointer.Pin pin = fetcher.pointer().pin(savepoint(1, piece).at(50));
    var _ = fetcher.pointer().pin(savepoint(1, piece).at(60));
    owner.pointer().publish(owner.pointer().epoch(), List.of(savepoint(2, piece)));
    assertThat(owner.pointer().pinned())
        .extracting(PublishedSavepoint::timeMs)
        .containsExactlyInAnyOrder(50L, 60L);
    pin.close();
    assertThat(owner.pointer().pinned()).hasSize(1);
    tree.expire(fetcher.coordination());
    owner.pointer().publish(owner.pointer().epoch(), List.of(savepoint(3, piece)));
    assertThat(owner.pointer().pinned()).isEmpty();
  }
}
