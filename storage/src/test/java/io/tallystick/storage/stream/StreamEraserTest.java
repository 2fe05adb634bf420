package io.tallystick.storage.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.contract.Frames;
import io.tallystick.testkit.contract.FramesToErase;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: what is erased is gone and nothing else is, whatever crashes; and damage never passes for
/// an erasure. Method: besides the contract's, a stream of frames of known content, some erased in
/// payload and infos, on a disk that crashes or fails at each operation in turn; then the plans,
/// which a caller keeps, are carried out again.
class StreamEraserTest {
  private static final int FRAMES = 12;
  private static final int ERASED = 6;

  /// What a crash does not reach: in the service, rows of the meta store.
  private final List<ErasedFrame> rows = new ArrayList<>();

  private final List<StreamPosition> positions = new ArrayList<>();

  /// Writes all frames, then erases some, then drops the segments before one of them.
  private void run(CrashingDisk disk) throws IOException, CorruptStreamException {
    try (StreamStore store = Frames.store(disk)) {
      FramesToErase.write(store.openWriter(Frames.SHARD, 1, StreamStore.START), FRAMES, positions);
      StreamEraser eraser = store.openEraser(Frames.SHARD);
      for (int i = 0; i < ERASED; i++) {
        rows.add(eraser.plan(positions.get(i).frame(), FramesToErase.edits(i)));
      }
      eraser.erase(rows);
    }
  }

  @Seeded(runs = 3)
  void survivesACrashAtEveryOperation(SplittableRandom random) throws Exception {
    CrashPlan clean = CrashPlan.never();
    run(new CrashingDisk(clean));
    StreamPosition savepoint = positions.get(ERASED);
    for (int k = 0; k < clean.operations(); k++) {
      rows.clear();
      positions.clear();
      CrashingDisk disk = new CrashingDisk(CrashPlan.at(k, random.split()));
      try {
        run(disk);
      } catch (IOException _) {
        // The planned one.
      }
      if (positions.size() < FRAMES) {
        continue; // StreamCrashTest's matter
      }
      CrashingDisk again = new CrashingDisk(disk.afterCrash(), CrashPlan.never());
      try (StreamStore store = Frames.store(again)) {
        store.openWriter(Frames.SHARD, 2, savepoint);
        StreamEraser eraser = store.openEraser(Frames.SHARD);
        eraser.erase(rows);
        assertThat(Frames.read(store, StreamStore.START))
            .isEqualTo(FramesToErase.expected(positions, rows.size()));
      }
      checkWhole(again.afterCrash());
    }
  }

  /// Every checksum fits, on what is durable.
  private void checkWhole(InMemoryDisk disk) throws Exception {
    try (StreamStore store = Frames.store(disk)) {
      store.openWriter(Frames.SHARD, 3, StreamStore.START);
      StreamEraser eraser = store.openEraser(Frames.SHARD);
      for (StreamPosition position : positions.subList(0, FRAMES - 1)) {
        eraser.plan(position.frame(), FrameEdits.zeros(List.of(new FrameEdits.Range(64, 1))));
      }
      assertThat(Frames.read(store, StreamStore.START))
          .isEqualTo(FramesToErase.expected(positions, rows.size()));
    }
  }

  @Seeded(runs = 3)
  void isDeadAfterAFailedForce(SplittableRandom random) throws Exception {
    CrashPlan clean = CrashPlan.never();
    run(new CrashingDisk(clean));
    int fired = 0;
    for (int k = clean.operations() - 1; k > clean.operations() - 30; k--) {
      rows.clear();
      positions.clear();
      CrashPlan plan = CrashPlan.failForceAt(k, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      try (StreamStore store = Frames.store(disk)) {
        FramesToErase.write(
            store.openWriter(Frames.SHARD, 1, StreamStore.START), FRAMES, positions);
        StreamEraser eraser = store.openEraser(Frames.SHARD);
        for (int i = 0; i < ERASED; i++) {
          rows.add(eraser.plan(positions.get(i).frame(), FramesToErase.edits(i)));
        }
        try {
          eraser.erase(rows);
        } catch (IOException _) {
          fired++;
          assertThatThrownBy(() -> eraser.erase(rows)).hasMessageContaining("is dead");
        }
      } catch (IOException _) {
        continue; // a force of the writer
      }
      if (positions.size() == FRAMES && plan.fired()) {
        CrashingDisk again = new CrashingDisk(disk.afterCrash(), CrashPlan.never());
        try (StreamStore store = Frames.store(again)) {
          store.openWriter(Frames.SHARD, 2, positions.get(ERASED));
          store.openEraser(Frames.SHARD).erase(rows);
        }
        checkWhole(again.afterCrash());
      }
    }
    assertThat(fired).isPositive();
  }

  @Test
  void leavesTheHeaderOfAFrameThatDiffersFromItsPlan() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    try (StreamStore store = Frames.store(disk)) {
      FramesToErase.write(store.openWriter(Frames.SHARD, 1, StreamStore.START), 2, positions);
      StreamEraser eraser = store.openEraser(Frames.SHARD);
      ErasedFrame planned = eraser.plan(positions.get(0).frame(), FramesToErase.edits(0));
      String file = LocalStreamStore.fileOf(Frames.DIRECTORY, Frames.SHARD, planned.frame());
      long position = LocalStreamStore.positionOf(planned.frame());
      ByteBuffer header = headerAt(disk, file, position);
      disk.flipBit(file, position + FramesToErase.payloadOffset(0), 3);
      assertThatThrownBy(() -> eraser.erase(List.of(planned)))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("payload section checksum");
      assertThat(headerAt(disk, file, position)).isEqualTo(header);
    }
  }

  private static ByteBuffer headerAt(InMemoryDisk disk, String file, long position)
      throws IOException {
    ByteBuffer header = ByteBuffer.allocate(FrameHeader.BYTES);
    try (DiskFile open = disk.open(file)) {
      open.read(position, header);
    }
    return header.flip();
  }

  @Seeded(runs = 3)
  void dropsWholeSegmentsAndACrashLeavesNoGap(SplittableRandom random) throws Exception {
    CrashPlan clean = CrashPlan.never();
    int last = dropAll(new CrashingDisk(clean));
    assertThat(last).isGreaterThan(3);
    for (int k = 0; k < clean.operations(); k++) {
      positions.clear();
      CrashPlan plan = CrashPlan.at(k, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      try {
        dropAll(disk);
      } catch (IOException _) {
        // The planned one.
      }
      if (positions.size() < FRAMES) {
        continue;
      }
      try (StreamStore store = Frames.store(disk.afterCrash())) {
        StreamPosition newest = positions.getLast();
        store.openWriter(Frames.SHARD, 2, newest);
        assertThat(Frames.read(store, newest))
            .isEqualTo(FramesToErase.expected(positions, 0).subList(FRAMES - 1, FRAMES));
        store.openEraser(Frames.SHARD).dropBefore(newest.frame());
        try (StreamReader reader = store.openReader(Frames.SHARD)) {
          assertThat(reader.segments())
              .extracting(StreamReader.Segment::number)
              .containsExactly(last);
        }
      }
    }
  }

  /// @return the number of the last segment
  private int dropAll(CrashingDisk disk) throws IOException, CorruptStreamException {
    try (StreamStore store = Frames.store(disk)) {
      FramesToErase.write(store.openWriter(Frames.SHARD, 1, StreamStore.START), FRAMES, positions);
      int last;
      try (StreamReader reader = store.openReader(Frames.SHARD)) {
        last = reader.segments().getLast().number();
      }
      StreamEraser eraser = store.openEraser(Frames.SHARD);
      long newest = positions.getLast().frame();
      assertThatThrownBy(() -> eraser.dropBefore(FrameLocations.of(last + 1, 0)))
          .isInstanceOf(IllegalArgumentException.class);
      eraser.dropBefore(newest);
      assertThat(eraser.canDropBefore(newest)).isFalse();
      return last;
    }
  }

  /// One that the disk does not delete counts until it does; a read of one that is gone is refused
  /// and leaves no file behind.
  @Test
  void whatIsDroppedIsNeitherReadNorErasedNorMadeAgain() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    Stubborn stubborn = new Stubborn(disk);
    try (StreamStore store = Frames.store(stubborn)) {
      FramesToErase.write(store.openWriter(Frames.SHARD, 1, StreamStore.START), FRAMES, positions);
      StreamEraser eraser = store.openEraser(Frames.SHARD);
      ErasedFrame planned = eraser.plan(positions.getFirst().frame(), FramesToErase.edits(0));
      long last = positions.getLast().frame();
      stubborn.refusals = 1;
      assertThatThrownBy(() -> eraser.dropBefore(last)).hasMessage("refused");
      assertThat(eraser.isDropped(positions.getFirst().frame())).isFalse();
      assertThat(eraser.canDropBefore(last)).isTrue();
      stubborn.refusals = 0;
      StreamEraser next = store.openEraser(Frames.SHARD);
      next.dropBefore(last);
      assertThat(next.isDropped(positions.getFirst().frame())).isTrue();
      assertThat(next.isDropped(last)).isFalse();
      next.erase(List.of(planned));
      assertThatThrownBy(() -> next.plan(positions.getFirst().frame(), FramesToErase.edits(0)))
          .isInstanceOf(CorruptStreamException.class);
      assertThatThrownBy(() -> Frames.read(store, positions.getFirst()))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("there is no such segment");
    }
    try (StreamStore store = Frames.store(disk)) {
      store.openWriter(Frames.SHARD, 2, positions.getLast());
      assertThat(Frames.read(store, positions.getLast())).hasSize(1);
    }
  }

  /// A reader may have seen a segment a moment before it was deleted.
  @Test
  void aReadOfADeletedFileMakesNone() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    try (StreamStore store = Frames.store(disk)) {
      FramesToErase.write(store.openWriter(Frames.SHARD, 1, StreamStore.START), FRAMES, positions);
      String first = LocalStreamStore.fileOf(Frames.DIRECTORY, Frames.SHARD, 0);
      disk.delete(first);
      assertThatThrownBy(() -> Frames.read(store, StreamStore.START))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("there is no such segment");
      try (StreamReader reader = store.openReader(Frames.SHARD)) {
        Location at = new Location(positions.getFirst().frame(), 0);
        assertThatThrownBy(() -> reader.read(at, ByteBuffer.allocate(1)))
            .isInstanceOf(CorruptStreamException.class)
            .hasMessageContaining("there is no such segment");
      }
      assertThat(disk.exists(first)).isFalse();
    }
  }

  /// Refuses to delete a segment so many times.
  private static final class Stubborn extends ForwardingDisk {
    private int refusals;

    Stubborn(Disk disk) {
      super(disk);
    }

    @Override
    public void delete(String name) throws IOException {
      if (refusals > 0 && name.endsWith(".seg")) {
        refusals--;
        throw new IOException("refused");
      }
      super.delete(name);
    }
  }
}
