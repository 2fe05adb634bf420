package io.tallystick.storage.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: an object is there whole or not at all, and what was answered stays so, wherever the
/// machine dies. Method: crash, or let a force fail, at each operation of a run of puts and
/// deletions, beside a list of what was answered.
class LocalObjectsTest {
  private static final int BYTES_MAX = 1 << 20;
  private static final Bytes FIRST = Bytes.utf8("the first object");
  private static final Bytes SECOND = Bytes.wrap(new byte[100_000]);

  private static KeptObject put(ObjectStore objects, Bytes content) throws IOException {
    try (ObjectWriter writer = objects.create()) {
      int half = content.size() / 2;
      writer.write(ByteBuffer.wrap(content.slice(0, half).toArray()));
      writer.write(ByteBuffer.wrap(content.slice(half, content.size() - half).toArray()));
      return writer.finish();
    }
  }

  private static Optional<Bytes> read(ObjectStore objects, KeptObject object)
      throws IOException, CorruptStreamException {
    Optional<StoredObject> found = objects.open(object);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try (StoredObject stored = found.get()) {
      return Optional.of(stored.whole(BYTES_MAX));
    }
  }

  private static KeptObject keptOf(Bytes content) {
    return new KeptObject(
        Digest.of(Sha256.newDigest().digest(content.toArray())), content.size(), Bytes.EMPTY);
  }

  private static List<Digest> names(ObjectStore objects) throws IOException {
    return objects.list().stream().map(held -> Digest.of(held.id())).toList();
  }

  @Test
  void anObjectIsNamedByWhatIsInIt() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    ObjectStore objects = LocalObjects.open(disk);
    KeptObject first = put(objects, FIRST);
    KeptObject second = put(objects, SECOND);
    assertThat(first).isEqualTo(keptOf(FIRST));
    assertThat(put(objects, FIRST)).isEqualTo(first);
    String hex = first.name().hex();
    assertThat(disk.content("objects/" + hex.substring(0, 2) + "/" + hex))
        .isEqualTo(FIRST.toArray());
    assertThat(disk.names()).hasSize(2);
    ObjectStore again = LocalObjects.open(disk);
    assertThat(names(again)).containsExactlyInAnyOrder(first.name(), second.name());
    assertThat(read(again, first)).contains(FIRST);
    assertThat(read(again, second)).contains(SECOND);
    again.delete(first);
    again.delete(first);
    assertThat(read(again, first)).isEmpty();
    assertThat(names(again)).containsExactly(second.name());
    assertThat(disk.names()).as("opening makes no file").hasSize(1);
  }

  @Test
  void whatIsNotFinishedLeavesNothing() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    ObjectStore objects = LocalObjects.open(disk);
    try (ObjectWriter writer = objects.create()) {
      writer.write(ByteBuffer.wrap(FIRST.toArray()));
    }
    assertThat(disk.names()).isEmpty();
    disk.open("objects/7.new").write(0, ByteBuffer.wrap(new byte[9])); // of a crash
    disk.open("objects/aa/notes.txt").write(0, ByteBuffer.wrap(new byte[9]));
    assertThat(LocalObjects.open(disk).list()).isEmpty();
    assertThat(disk.names()).as("only its own").containsExactly("objects/aa/notes.txt");
  }

  @Test
  void noticesDamage() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    ObjectStore objects = LocalObjects.open(disk);
    KeptObject kept = put(objects, FIRST);
    for (int at = 0; at < FIRST.size(); at++) {
      disk.flipBit(LocalObjects.file(kept.name()), at, at % 8);
      assertThatThrownBy(() -> read(objects, kept))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining(LocalObjects.file(kept.name()));
      disk.flipBit(LocalObjects.file(kept.name()), at, at % 8);
    }
    disk.open(LocalObjects.file(kept.name())).truncate(FIRST.size() - 1);
    assertThatThrownBy(() -> read(objects, kept)).isInstanceOf(CorruptStreamException.class);
    disk.open(LocalObjects.file(kept.name())).truncate(0);
    assertThatThrownBy(() -> read(objects, kept)).isInstanceOf(CorruptStreamException.class);
    put(objects, FIRST);
    assertThat(read(objects, kept)).as("written anew").contains(FIRST);
    try (StoredObject object = objects.open(kept).orElseThrow()) {
      assertThatThrownBy(() -> object.whole(FIRST.size() - 1))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("want at most");
    }
  }

  @Test
  void theSameMayBeWrittenTwiceAtATime() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    ObjectStore objects = LocalObjects.open(disk);
    try (ObjectWriter one = objects.create();
        ObjectWriter other = objects.create()) {
      one.write(ByteBuffer.wrap(FIRST.toArray()));
      other.write(ByteBuffer.wrap(FIRST.toArray()));
      KeptObject kept = one.finish();
      assertThat(read(objects, kept)).contains(FIRST);
      assertThat(other.finish()).isEqualTo(kept);
      assertThat(read(objects, kept)).contains(FIRST);
    }
    assertThat(disk.names()).hasSize(1);
  }

  @Test
  void anOpenObjectOutlivesItsDeletion() throws Exception {
    ObjectStore objects = LocalObjects.open(new InMemoryDisk());
    KeptObject kept = put(objects, FIRST);
    try (StoredObject object = objects.open(kept).orElseThrow()) {
      objects.delete(kept);
      assertThat(object.whole(BYTES_MAX)).isEqualTo(FIRST);
    }
  }

  /// What was answered: whether each object is there; none while it is not known.
  private static final class Told {
    Optional<Boolean> first = Optional.of(false);
    Optional<Boolean> second = Optional.of(false);
  }

  private static Told run(Disk disk) {
    Told told = new Told();
    try {
      ObjectStore objects = LocalObjects.open(disk);
      told.first = Optional.empty();
      put(objects, FIRST);
      told.first = Optional.of(true);
      told.second = Optional.empty();
      put(objects, SECOND);
      told.second = Optional.of(true);
      put(objects, FIRST);
      told.first = Optional.empty();
      objects.delete(keptOf(FIRST));
      told.first = Optional.of(false);
      told.first = Optional.empty();
      put(objects, FIRST);
      told.first = Optional.of(true);
      told.second = Optional.empty();
      objects.delete(keptOf(SECOND));
      told.second = Optional.of(false);
    } catch (IOException died) {
      // What was told so far is what counts.
    }
    return told;
  }

  private static void check(Disk disk, Told told, String when) throws Exception {
    ObjectStore objects = LocalObjects.open(disk);
    List<Digest> there = new ArrayList<>();
    check(objects, FIRST, told.first, there, when);
    check(objects, SECOND, told.second, there, when);
    assertThat(names(objects)).as(when).containsExactlyInAnyOrderElementsOf(there);
    assertThat(disk.list("objects")).as(when).noneMatch(entry -> entry.endsWith(".new"));
  }

  private static void check(
      ObjectStore objects, Bytes content, Optional<Boolean> told, List<Digest> there, String when)
      throws Exception {
    Optional<Bytes> found = read(objects, keptOf(content));
    if (told.isPresent()) {
      assertThat(found.isPresent()).as(when).isEqualTo(told.get());
    }
    if (found.isPresent()) {
      assertThat(found).as(when).contains(content);
      there.add(keptOf(content).name());
    }
  }

  @Test
  void whatWasAnsweredSurvivesACrash() throws Exception {
    CrashPlan clean = CrashPlan.never();
    Told all = run(new CrashingDisk(clean));
    assertThat(all.second).contains(false);
    SplittableRandom random = new SplittableRandom(41);
    for (int at = 0; at < clean.operations(); at++) {
      for (int survival = 0; survival < 4; survival++) {
        CrashPlan plan = CrashPlan.at(at, random.split());
        CrashingDisk disk = new CrashingDisk(plan);
        Told told = run(disk);
        check(disk.afterCrash(), told, "crash at operation " + at);
      }
    }
  }

  @Test
  void whatWasAnsweredSurvivesAFailedForceAndAFullDisk() throws Exception {
    CrashPlan clean = CrashPlan.never();
    run(new CrashingDisk(clean));
    SplittableRandom random = new SplittableRandom(42);
    for (int at = 0; at < clean.operations(); at++) {
      for (boolean full : new boolean[] {false, true}) {
        CrashPlan plan =
            full
                ? CrashPlan.diskFullAt(at, random.split())
                : CrashPlan.failForceAt(at, random.split());
        CrashingDisk disk = new CrashingDisk(plan);
        Told told = run(disk);
        plan.crashNow();
        check(disk.afterCrash(), told, (full ? "full at " : "failed force at ") + at);
      }
    }
  }
}
