package io.tallystick.storage.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.contract.Frames;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.util.SplittableRandom;

/// Goal: nothing acknowledged is lost and nothing unwritten appears. Method: run a small stream,
/// count its operations on the disk, and let each of them go wrong in turn.
class StreamCrashTest {
  private static final int FRAMES = 10;
  private static final int ROUNDS = 6;

  @Seeded(runs = 5)
  void survivesACrashAtEveryOperation(SplittableRandom random) throws Exception {
    long script = random.nextLong();
    CrashPlan clean = CrashPlan.never();
    new StreamModel().run(new CrashingDisk(clean), FRAMES, new SplittableRandom(script));
    assertThat(clean.operations()).isGreaterThan(2 * FRAMES);
    for (int k = 0; k < clean.operations(); k++) {
      StreamModel model = new StreamModel();
      CrashPlan plan = CrashPlan.at(k, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      runIntoFailure(model, disk, new SplittableRandom(script));
      assertThat(plan.fired()).isTrue();
      recoverAndGoOn(model, disk.afterCrash(), random.split());
    }
  }

  /// Crashes again and again, also during recovery, always on what the last crash left: what was
  /// once cut must never come back.
  @Seeded(runs = 40)
  void survivesOneCrashAfterAnother(SplittableRandom random) throws Exception {
    StreamModel model = new StreamModel();
    InMemoryDisk left = new InMemoryDisk();
    for (int round = 0; round < ROUNDS; round++) {
      CrashPlan plan = CrashPlan.at(random.nextInt(5 * FRAMES), random.split());
      CrashingDisk disk = new CrashingDisk(left, plan);
      runIntoFailure(model, disk, random.split());
      left = disk.afterCrash();
    }
    recoverAndGoOn(model, left, random.split());
  }

  /// The writer must not go on after a failed force, and what recovery then accepts from the page
  /// cache must be on the disk before anything is built on it.
  @Seeded(runs = 5)
  void stopsAtAFailedForceAndSavesWhatItFindsAgain(SplittableRandom random) throws Exception {
    CrashPlan clean = CrashPlan.never();
    long script = random.nextLong();
    new StreamModel().run(new CrashingDisk(clean), FRAMES, new SplittableRandom(script));
    int fired = 0;
    for (int k = 0; k < clean.operations(); k++) {
      StreamModel model = new StreamModel();
      CrashPlan plan = CrashPlan.failForceAt(k, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      boolean failed = runIntoFailure(model, disk, new SplittableRandom(script));
      fired += failed ? 1 : 0;
      if (!plan.fired()) {
        break; // no force comes so late
      }
      try (StreamStore store = Frames.store(disk)) {
        model.recover(store, random.split());
      }
      recoverAndGoOn(model, disk.afterCrash(), random.split());
    }
    assertThat(fired).isGreaterThan(FRAMES);
  }

  @Seeded(runs = 5)
  void keepsNothingOfAFrameForWhichThereWasNoRoom(SplittableRandom random) throws Exception {
    CrashPlan clean = CrashPlan.never();
    long script = random.nextLong();
    new StreamModel().run(new CrashingDisk(clean), FRAMES, new SplittableRandom(script));
    int full = 0;
    for (int k = 0; k < clean.operations(); k++) {
      StreamModel model = new StreamModel();
      CrashPlan plan = CrashPlan.diskFullAt(k, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      full += writeAroundFullDisk(model, disk, new SplittableRandom(script));
      recoverAndGoOn(model, disk.afterCrash(), random.split());
    }
    assertThat(full).isGreaterThan(FRAMES / 2);
  }

  @Seeded
  void resumesWhenAFullDiskHasRoomAgain(SplittableRandom random) throws Exception {
    StreamModel model = new StreamModel();
    CrashingDisk disk = new CrashingDisk(CrashPlan.never());
    try (StreamStore store = Frames.store(disk)) {
      StreamWriter writer = model.recover(store, random);
      model.append(writer, 400);
      disk.limit(3000);
      assertThatThrownBy(() -> model.append(writer, 9000)).isInstanceOf(DiskFullException.class);
      model.forgetInFlight();
      model.append(writer, 10);
      assertThatThrownBy(() -> model.append(writer, 9000)).isInstanceOf(DiskFullException.class);
      model.forgetInFlight();
      disk.limit(100_000);
      model.append(writer, 9000);
      model.append(writer, 1);
    }
    recoverAndGoOn(model, disk.afterCrash(), random);
  }

  @Seeded
  void neverUsesADeadWriterAgain(SplittableRandom random) throws Exception {
    StreamModel model = new StreamModel();
    CrashPlan plan = CrashPlan.failForceAt(11, random.split());
    CrashingDisk disk = new CrashingDisk(plan);
    try (StreamStore store = Frames.store(disk)) {
      StreamWriter writer = model.recover(store, random);
      for (int i = 0; i < FRAMES && !plan.fired(); i++) {
        try {
          model.append(writer, 10);
        } catch (IOException _) {
          assertThat(plan.fired()).isTrue();
        }
      }
      int operations = plan.operations();
      assertThatThrownBy(() -> writer.append(Frames.frame("again", "")))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is dead");
      assertThatThrownBy(writer::roll).hasMessageContaining("is dead");
      assertThat(plan.operations()).isEqualTo(operations);
      assertThat(Frames.read(store, StreamStore.START)).isEqualTo(model.durable());
    }
  }

  private static boolean runIntoFailure(
      StreamModel model, CrashingDisk disk, SplittableRandom script) throws CorruptStreamException {
    try {
      model.run(disk, FRAMES, script);
      return false;
    } catch (IOException _) {
      return true;
    }
  }

  /// @return how often the disk was full during an append
  private static int writeAroundFullDisk(
      StreamModel model, CrashingDisk disk, SplittableRandom random)
      throws IOException, CorruptStreamException {
    int full = 0;
    try (StreamStore store = Frames.store(disk)) {
      StreamWriter writer = model.recover(store, random);
      for (int i = 0; i < FRAMES; i++) {
        try {
          model.append(writer, random.nextInt(1500));
        } catch (DiskFullException _) {
          model.forgetInFlight();
          full++;
          if (random.nextBoolean()) {
            break; // what was left of the frame is not covered by a next one
          }
        }
      }
    } catch (DiskFullException _) {
      // While opening: nothing was acknowledged.
    }
    return full;
  }

  private static void recoverAndGoOn(StreamModel model, InMemoryDisk left, SplittableRandom random)
      throws Exception {
    model.run(left, 3, random.split());
    model.run(left, 0, random.split());
  }
}
