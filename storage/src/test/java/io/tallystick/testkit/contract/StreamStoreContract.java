package io.tallystick.testkit.contract;

import static io.tallystick.testkit.contract.Frames.SHARD;
import static io.tallystick.testkit.contract.Frames.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// What every {@link StreamStore} must do: keep what was acknowledged and nothing else when a
/// process dies, tell damage from a torn tail, and erase for good what is to be erased and nothing
/// else.
public abstract class StreamStoreContract extends StreamLogContract {
  private static final int FRAMES = 12;
  private static final int ERASED = 6;
  private static final int OPERATIONS_MAX = 1000;

  /// What is not forced may survive one run by chance.
  private static final int WHOLE_RUNS = 6;

  protected StreamStoreContract() {}

  /// What a process does before it dies.
  @FunctionalInterface
  protected interface Work {
    void run(StreamStore store) throws Exception;
  }

  /// Runs work in a process that dies at an operation on what is stored; {@link #open} then shows
  /// what is left.
  ///
  /// @param operation 0-based
  /// @return whether it died: false if the work has fewer operations
  protected abstract boolean dies(int operation, Work work) throws Exception;

  /// From one death to the next, in operations.
  protected abstract int operationsApart();

  /// Changes a stored byte, as a failing medium does.
  protected abstract void damage(StreamId id, Location at) throws Exception;

  /// Takes away what is stored of the newest frame from a byte on, as if its writer had died.
  protected abstract void tear(StreamId id, Location from) throws Exception;

  /// The work once for each operation at which a process may die, and some times to its end, on a
  /// stream of its own each time.
  private void dieEverywhere(Dying work) throws Exception {
    int operation = 0;
    int ended = 0;
    while (ended < WHOLE_RUNS) {
      assertThat(operation).isLessThan(OPERATIONS_MAX);
      StreamId id = new StreamId(operation);
      AtomicBoolean done = new AtomicBoolean();
      boolean died =
          dies(
              operation,
              store -> {
                work.live(store, id);
                done.set(true);
              });
      work.after(id, done.get());
      ended += died ? 0 : 1;
      operation += operationsApart();
    }
    assertThat(operation).as("operations").isGreaterThan(10 + WHOLE_RUNS * operationsApart());
  }

  private interface Dying {
    void live(StreamStore store, StreamId id) throws Exception;

    /// @param done whether the work came to its end
    void after(StreamId id, boolean done) throws Exception;
  }

  @Test
  void aDeathAtAnyOperationLosesNothingAcknowledged() throws Exception {
    List<Frames.Frame> acknowledged = new ArrayList<>();
    dieEverywhere(
        new Dying() {
          @Override
          public void live(StreamStore store, StreamId id) throws Exception {
            acknowledged.clear();
            StreamWriter writer = store.openWriter(id, 1, StreamStore.START);
            for (int i = 0; i < 8; i++) {
              acknowledged.add(append(writer, "frame " + i, "p".repeat(i * 90)));
              if (i == 1) {
                writer.roll();
              }
            }
          }

          @Override
          public void after(StreamId id, boolean done) throws Exception {
            List<Frames.Frame> left;
            try (StreamStore store = open()) {
              StreamWriter writer = store.openWriter(id, 2, StreamStore.START);
              left = Frames.read(store, id, StreamStore.START);
              assertThat(left.size()).isBetween(acknowledged.size(), acknowledged.size() + 1);
              assertThat(left.subList(0, acknowledged.size())).isEqualTo(acknowledged);
              assertThat(writer.end().number()).isEqualTo(left.size());
              left.add(append(writer, "on", "it goes"));
            }
            try (StreamStore store = open()) {
              assertThat(Frames.read(store, id, StreamStore.START)).isEqualTo(left);
            }
          }
        });
  }

  /// The newest frame is large: a store may keep it in several pages or pieces.
  @Test
  void aTornTailIsCutAndItsNumberIsGivenAgain() throws Exception {
    int payload = FrameHeader.BYTES + "frame 4".length();
    int notes = payload + 4 * 2500;
    for (int from : new int[] {0, 1, 40, FrameHeader.BYTES, payload, notes - 1, notes}) {
      StreamId id = new StreamId(from);
      List<Frames.Frame> want = new ArrayList<>();
      try (StreamStore store = open()) {
        StreamWriter writer = store.openWriter(id, 1, StreamStore.START);
        for (int i = 0; i < 5; i++) {
          want.add(append(writer, "frame " + i, "p".repeat(i * 2500)));
        }
      }
      tear(id, new Location(want.removeLast().position().frame(), from));
      try (StreamStore store = open()) {
        assertThat(Frames.read(store, id, StreamStore.START)).as("from %d", from).isEqualTo(want);
        StreamWriter writer = store.openWriter(id, 2, want.getFirst().position());
        writer.cut().ifPresent(cut -> assertThat(cut.frame()).isEqualTo(want.size()));
        assertThat(writer.end().number()).isEqualTo(want.size());
        want.add(append(writer, "another", "in its place"));
        assertThat(Frames.read(store, id, StreamStore.START)).isEqualTo(want);
      }
      try (StreamStore store = open()) {
        assertThat(store.openWriter(id, 3, StreamStore.START).cut()).as("left").isEmpty();
        assertThat(Frames.read(store, id, StreamStore.START)).isEqualTo(want);
      }
    }
  }

  private List<StreamPosition> written(StreamId id) throws Exception {
    List<StreamPosition> positions = new ArrayList<>();
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(id, 1, StreamStore.START);
      FramesToErase.write(writer, FRAMES, positions);
      writer.roll();
      FramesToErase.write(writer, 1, positions);
    }
    return positions;
  }

  /// In its header, in its infos, in its notes.
  @Test
  void aDamagedFrameIsReadByNoOneAndRefusesTheStream() throws Exception {
    for (int offset : new int[] {0, 24, FrameHeader.BYTES, FramesToErase.notesOffset(2)}) {
      StreamId id = new StreamId(offset);
      List<StreamPosition> positions = written(id);
      damage(id, new Location(positions.get(2).frame(), offset));
      try (StreamStore store = open();
          StreamReader reader = store.openReader(id);
          var cursor = reader.tail(StreamStore.START)) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.next()).isTrue();
        assertThatThrownBy(cursor::next).isInstanceOf(CorruptStreamException.class);
        assertThatThrownBy(() -> copyAll(reader, Set.of()))
            .isInstanceOf(CorruptStreamException.class);
        assertThatThrownBy(() -> store.openWriter(id, 2, StreamStore.START))
            .isInstanceOf(CorruptStreamException.class);
        assertThat(store.openWriter(id, 2, positions.get(3)).end().number())
            .isEqualTo(positions.size());
        if (offset < FramesToErase.notesOffset(2)) { // erasing leaves notes alone
          try (StreamEraser eraser = store.openEraser(id)) {
            assertThatThrownBy(() -> eraser.plan(positions.get(2).frame(), FramesToErase.edits(2)))
                .isInstanceOf(CorruptStreamException.class);
          }
        }
      }
    }
  }

  @Test
  void aDamagedPayloadIsToldByCopiesAndErasersAlone() throws Exception {
    List<StreamPosition> positions = written(SHARD);
    damage(SHARD, new Location(positions.get(2).frame(), FramesToErase.payloadOffset(2)));
    try (StreamStore store = open();
        StreamReader reader = store.openReader(SHARD)) {
      store.openWriter(SHARD, 2, StreamStore.START);
      assertThat(Frames.read(reader, StreamStore.START))
          .hasSize(positions.size())
          .isNotEqualTo(FramesToErase.expected(positions, 0));
      assertThat(copyAll(reader, Set.of())).containsExactly(2L);
      assertThat(copyAll(reader, Set.of(positions.get(2).frame())))
          .as("it may be half erased")
          .isEmpty();
      try (StreamEraser eraser = store.openEraser(SHARD)) {
        assertThatThrownBy(() -> eraser.plan(positions.get(2).frame(), FramesToErase.edits(2)))
            .isInstanceOf(CorruptStreamException.class);
      }
    }
  }

  /// @return the numbers of the frames that are damaged
  private static List<Long> copyAll(StreamReader reader, Set<Long> unfinished) throws Exception {
    CopiedSegment copy = new CopiedSegment();
    for (StreamReader.Segment segment : reader.segments()) {
      var _ = reader.copy(segment, unfinished, copy);
    }
    return copy.damaged();
  }

  private static void plan(
      StreamEraser eraser, List<StreamPosition> positions, List<ErasedFrame> planned)
      throws Exception {
    for (int i = 0; i < ERASED; i++) {
      planned.add(eraser.plan(positions.get(i).frame(), FramesToErase.edits(i)));
    }
  }

  @Test
  void erasesWhatIsPlannedAndTheStreamGoesOn() throws Exception {
    List<StreamPosition> positions = new ArrayList<>();
    List<ErasedFrame> planned = new ArrayList<>();
    try (StreamStore store = open()) {
      assertThatThrownBy(() -> store.openEraser(SHARD)).isInstanceOf(IllegalStateException.class);
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      FramesToErase.write(writer, FRAMES, positions);
      try (StreamReader reader = store.openReader(SHARD);
          StreamEraser eraser = store.openEraser(SHARD)) {
        plan(eraser, positions, planned);
        assertThat(Frames.read(reader, StreamStore.START))
            .as("a plan changes nothing")
            .isEqualTo(FramesToErase.expected(positions, 0));
        eraser.erase(planned);
        eraser.erase(planned.subList(1, 3));
        assertThat(Frames.read(reader, StreamStore.START))
            .isEqualTo(FramesToErase.expected(positions, ERASED));
        append(writer, "on", "it goes");
        assertThat(copyAll(reader, Set.of())).isEmpty();
      }
    }
    try (StreamStore store = open()) {
      assertThat(Frames.read(store, StreamStore.START))
          .startsWith(FramesToErase.expected(positions, ERASED).toArray(new Frames.Frame[0]))
          .hasSize(FRAMES + 1);
      assertThat(store.openWriter(SHARD, 2, StreamStore.START).end().number())
          .isEqualTo(FRAMES + 1);
    }
  }

  @Test
  void refusesToEraseTheNewestFrameAndWhatDiffersFromItsPlan() throws Exception {
    List<StreamPosition> positions = new ArrayList<>();
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      FramesToErase.write(writer, 3, positions);
      StreamEraser eraser = store.openEraser(SHARD);
      assertThatThrownBy(() -> eraser.plan(positions.get(2).frame(), FramesToErase.edits(2)))
          .isInstanceOf(IllegalStateException.class);
      FrameEdits beyond = FrameEdits.zeros(List.of(new FrameEdits.Range(64, 5_000)));
      assertThatThrownBy(() -> eraser.plan(positions.get(0).frame(), beyond))
          .isInstanceOf(IllegalArgumentException.class);
      ErasedFrame planned = eraser.plan(positions.get(0).frame(), FramesToErase.edits(0));
      damage(SHARD, new Location(planned.frame(), FramesToErase.payloadOffset(0)));
      assertThatThrownBy(() -> eraser.erase(List.of(planned)))
          .isInstanceOf(CorruptStreamException.class);
      try (StreamReader reader = store.openReader(SHARD);
          StreamEraser next = store.openEraser(SHARD)) {
        assertThat(copyAll(reader, Set.of())).as("no header was stamped over it").contains(0L);
        assertThatThrownBy(() -> next.plan(planned.frame(), FramesToErase.edits(0)))
            .isInstanceOf(CorruptStreamException.class);
      }
    }
  }

  /// The plans lie where the death does not reach them, and are carried out again behind it.
  @Test
  void anErasureIsCarriedToItsEndAfterADeathAtAnyOperation() throws Exception {
    List<StreamPosition> positions = new ArrayList<>();
    List<ErasedFrame> planned = new ArrayList<>();
    dieEverywhere(
        new Dying() {
          @Override
          public void live(StreamStore store, StreamId id) throws Exception {
            positions.clear();
            planned.clear();
            FramesToErase.write(store.openWriter(id, 1, StreamStore.START), FRAMES, positions);
            StreamEraser eraser = store.openEraser(id);
            plan(eraser, positions, planned);
            eraser.erase(planned);
          }

          @Override
          public void after(StreamId id, boolean done) throws Exception {
            if (planned.size() < ERASED) {
              return; // it died while it wrote
            }
            try (StreamStore store = open();
                StreamReader reader = store.openReader(id)) {
              Set<Long> unfinished = Set.copyOf(planned.stream().map(ErasedFrame::frame).toList());
              assertThat(copyAll(reader, unfinished)).isEmpty();
              store.openWriter(id, 2, positions.get(ERASED));
              if (!done) {
                store.openEraser(id).erase(planned);
              }
            }
            try (StreamStore store = open();
                StreamReader reader = store.openReader(id)) {
              store.openWriter(id, 3, StreamStore.START);
              assertThat(Frames.read(reader, StreamStore.START))
                  .isEqualTo(FramesToErase.expected(positions, ERASED));
              assertThat(copyAll(reader, Set.of())).as("checksums fit").isEmpty();
            }
          }
        });
  }

  @Test
  void dropsWholeSegmentsWhichThenCountNoMore() throws Exception {
    List<StreamPosition> positions = new ArrayList<>();
    try (StreamStore store = open()) {
      FramesToErase.write(store.openWriter(SHARD, 1, StreamStore.START), FRAMES, positions);
      long first = positions.getFirst().frame();
      long newest = positions.getLast().frame();
      try (StreamReader reader = store.openReader(SHARD);
          StreamEraser eraser = store.openEraser(SHARD)) {
        assertThat(eraser.canDropBefore(first)).isFalse();
        assertThat(eraser.canDropBefore(StreamStore.START.frame())).isFalse();
        assertThat(eraser.canDropBefore(newest)).isTrue();
        assertThat(eraser.isDropped(first)).isFalse();
        ErasedFrame planned = eraser.plan(first, FramesToErase.edits(0));
        long unwritten = FrameLocations.of(FrameLocations.segment(newest) + 1, 64);
        assertThatThrownBy(() -> eraser.dropBefore(unwritten))
            .isInstanceOf(IllegalArgumentException.class);
        List<StreamReader.Segment> before = reader.segments();

        eraser.dropBefore(newest);
        assertThat(eraser.canDropBefore(newest)).isFalse();
        assertThat(eraser.isDropped(first)).isTrue();
        assertThat(eraser.isDropped(StreamStore.START.frame())).isTrue();
        assertThat(eraser.isDropped(newest)).isFalse();
        eraser.erase(List.of(planned)); // there is nothing left to erase
        assertThatThrownBy(() -> eraser.plan(first, FramesToErase.edits(0)))
            .isInstanceOf(CorruptStreamException.class);
        assertThat(reader.segments()).containsExactly(before.getLast());
        assertThatThrownBy(() -> Frames.read(reader, StreamStore.START))
            .isInstanceOf(CorruptStreamException.class);
        assertThatThrownBy(() -> reader.read(new Location(first, 0), ByteBuffer.allocate(1)))
            .isInstanceOf(CorruptStreamException.class);
        assertThatThrownBy(() -> reader.copy(before.getFirst(), Set.of(), new CopiedSegment()))
            .isInstanceOf(CorruptStreamException.class);
      }
    }
    try (StreamStore store = open()) {
      store.openWriter(SHARD, 2, positions.getLast());
      assertThat(Frames.read(store, positions.getLast()))
          .isEqualTo(FramesToErase.expected(positions, 0).subList(FRAMES - 1, FRAMES));
    }
  }

  @Test
  void aDeathWhileSegmentsAreDroppedLeavesNoGap() throws Exception {
    List<StreamPosition> positions = new ArrayList<>();
    dieEverywhere(
        new Dying() {
          @Override
          public void live(StreamStore store, StreamId id) throws Exception {
            positions.clear();
            FramesToErase.write(store.openWriter(id, 1, StreamStore.START), FRAMES, positions);
            store.openEraser(id).dropBefore(positions.getLast().frame());
          }

          @Override
          public void after(StreamId id, boolean done) throws Exception {
            if (positions.size() < FRAMES) {
              return; // it died while it wrote
            }
            StreamPosition newest = positions.getLast();
            try (StreamStore store = open();
                StreamReader reader = store.openReader(id)) {
              List<StreamReader.Segment> left = reader.segments();
              assertThat(left.getLast().number() - left.getFirst().number())
                  .isEqualTo(left.size() - 1);
              int first = (int) left.getFirst().firstFrame();
              assertThat(Frames.read(reader, positions.get(first)))
                  .isEqualTo(FramesToErase.expected(positions, 0).subList(first, FRAMES));
              store.openWriter(id, 2, newest);
              if (!done) {
                store.openEraser(id).dropBefore(newest.frame());
              }
            }
            try (StreamStore store = open();
                StreamReader reader = store.openReader(id)) {
              assertThat(reader.segments())
                  .as("an opened writer may have begun a segment behind it")
                  .extracting(StreamReader.Segment::number)
                  .startsWith(FrameLocations.segment(newest.frame()));
            }
          }
        });
  }
}
