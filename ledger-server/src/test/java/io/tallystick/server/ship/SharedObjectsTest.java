package io.tallystick.server.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.cluster.TwinLogs;
import io.tallystick.testkit.contract.ObjectStoreContract;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// Goal: objects that several servers share are as durable as those of a data directory, and apart
/// from savepoints. Method: {@link ObjectStoreContract} over both kinds of stores; crashes at each
/// operation.
class SharedObjectsTest {
  private static final int PIECE_BYTES = 64 << 10;
  private static final StreamId SHARD = new StreamId(3);
  private static final Bytes CONTENT = Bytes.utf8("what is in an object");

  private static SharedObjects over(Disk volume, int seed) {
    return new SharedObjects(
        new DirectorySavepoints(volume, "objects", new Random(seed)), () -> 5, PIECE_BYTES);
  }

  /// Its owner sweeps only what earlier ones have left.
  @Test
  void whatIsNotFinishedIsDeleted() throws Exception {
    ObjectStore store = over(new InMemoryDisk(), 1);
    try (ObjectWriter writer = store.create()) {
      writer.write(ByteBuffer.wrap(new byte[2 * PIECE_BYTES]));
      assertThat(store.list()).hasSize(1);
    }
    assertThat(store.list()).isEmpty();
  }

  @Nested
  class InADirectory extends ObjectStoreContract {
    private final InMemoryDisk volume = new InMemoryDisk();
    private int opened;

    @Override
    protected ObjectStore open() {
      return over(volume, ++opened);
    }

    @Override
    protected void damage(KeptObject object) throws Exception {
      volume.flipBit(
          volume.names().stream().filter(name -> name.startsWith("objects/")).toList().get(2),
          9,
          3);
    }
  }

  @Nested
  class InLogs extends ObjectStoreContract {
    private final TwinLogs machines = new TwinLogs(3, new Random(1));

    @Override
    protected ObjectStore open() {
      return new SharedObjects(
          LogSavepoints.ofObjects(machines.client(_ -> {}), "test", SHARD, 1_000),
          () -> 5,
          PIECE_BYTES);
    }

    @Override
    protected void damage(KeptObject object) throws Exception {
      Bytes part = open().idOf(object);
      machines.damage(ByteBuffer.wrap(part.toArray()).getLong(), 200, 7);
    }

    @Test
    void savepointsAreNoObjects() throws Exception {
      LogSavepoints savepoints = new LogSavepoints(machines.client(_ -> {}), "test", SHARD, 1_000);
      savepoints.begin(5).finish();
      KeptObject object = put(open(), CONTENT);
      assertThat(open().list()).containsExactly(new ObjectStore.Held(open().idOf(object), 5));
      assertThat(savepoints.list()).hasSize(1);
    }

    @Test
    void aMachineThatIsDownStopsNothing() throws Exception {
      KeptObject before = put(open(), CONTENT);
      machines.stop(2);
      assertThat(read(open(), put(open(), CONTENT))).contains(CONTENT);
      assertThat(read(open(), before)).contains(CONTENT);
    }
  }

  @Test
  void aRowOfADataDirectoryIsRefused() {
    ObjectStore objects = over(new InMemoryDisk(), 1);
    KeptObject local = new KeptObject(Digest.ZERO, 9, Bytes.EMPTY);
    assertThatThrownBy(() -> objects.idOf(local)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> objects.delete(local)).isInstanceOf(IOException.class);
  }

  /// What was answered.
  private static final class Told {
    private final List<KeptObject> there = new ArrayList<>();
    private final List<KeptObject> gone = new ArrayList<>();
  }

  private static Told run(Disk volume) {
    Told told = new Told();
    try {
      SharedObjects objects = over(volume, 1);
      for (int i = 0; i < 3; i++) {
        try (ObjectWriter writer = objects.create()) {
          writer.write(ByteBuffer.allocate(PIECE_BYTES + 1 + i));
          told.there.add(writer.finish());
        }
      }
      KeptObject erased = told.there.removeFirst();
      objects.delete(erased);
      told.gone.add(erased);
    } catch (IOException died) {
      // What was told so far is what counts.
    }
    return told;
  }

  @Test
  void whatWasAnsweredSurvivesACrash() throws Exception {
    CrashPlan clean = CrashPlan.never();
    assertThat(run(new CrashingDisk(clean)).gone).hasSize(1);
    SplittableRandom random = new SplittableRandom(45);
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk volume = new CrashingDisk(plan);
      Told told = run(volume);
      SharedObjects after = over(volume.afterCrash(), 2);
      for (KeptObject each : told.there) {
        assertThat(ObjectStoreContract.read(after, each)).as("crash at %d", at).isPresent();
      }
      for (KeptObject each : told.gone) {
        assertThat(ObjectStoreContract.read(after, each)).as("crash at %d", at).isEmpty();
      }
    }
  }
}
