package io.tallystick.testkit.contract;

import static io.tallystick.testkit.contract.Frames.SHARD;
import static io.tallystick.testkit.contract.Frames.append;
import static io.tallystick.testkit.contract.Frames.frame;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.PendingFrame;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The part of {@link StreamStoreContract} in which nothing goes wrong: writing, reading,
/// following, rolling, listing, copying and taking over.
abstract class StreamLogContract {
  private static final int FRAMES = 24;

  StreamLogContract() {}

  /// A store of the same streams at each call. A second one stands for another process.
  protected abstract StreamStore open() throws Exception;

  /// Frames of growing size; the segment is closed in the middle.
  static List<Frames.Frame> write(StreamWriter writer, String name) throws Exception {
    List<Frames.Frame> frames = new ArrayList<>();
    for (int i = 0; i < FRAMES; i++) {
      frames.add(append(writer, name + i, "p".repeat(i * 9)));
      if (i == FRAMES / 2) {
        writer.roll();
      }
    }
    return frames;
  }

  /// A stream that a process which is gone has written.
  private List<Frames.Frame> written() throws Exception {
    try (StreamStore store = open()) {
      return write(store.openWriter(SHARD, 1, StreamStore.START), "a");
    }
  }

  @Test
  void readsBackWhatWasWrittenFromAnyFrameOn() throws Exception {
    List<Frames.Frame> want;
    try (StreamStore store = open()) {
      want = write(store.openWriter(SHARD, 1, StreamStore.START), "a");
      assertThat(Frames.read(store, StreamStore.START)).isEqualTo(want);
    }
    try (StreamStore store = open();
        StreamReader reader = store.openReader(SHARD)) {
      assertThat(Frames.read(reader, StreamStore.START)).isEqualTo(want);
      for (int i = 0; i < FRAMES; i++) {
        assertThat(Frames.read(reader, want.get(i).position())).isEqualTo(want.subList(i, FRAMES));
      }
    }
  }

  @Test
  void theBoundaryBehindAFrameLeadsToTheNext() throws Exception {
    List<Frames.Frame> want = written();
    try (StreamStore store = open();
        StreamReader reader = store.openReader(SHARD);
        FrameCursor cursor = reader.tail(StreamStore.START)) {
      assertThatThrownBy(cursor::position).isInstanceOf(IllegalStateException.class);
      for (int i = 0; i < FRAMES; i++) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.after().number()).isEqualTo(i + 1);
        assertThat(Frames.read(reader, cursor.after())).isEqualTo(want.subList(i + 1, FRAMES));
      }
      assertThat(cursor.next()).isFalse();
    }
  }

  @Test
  void readsAnyBytesByTheirLocation() throws Exception {
    List<Frames.Frame> want = written();
    try (StreamStore store = open();
        StreamReader reader = store.openReader(SHARD)) {
      for (Frames.Frame each : want) {
        Location at = new Location(each.position().frame(), 0);
        FrameHeader header = FrameHeader.decode(read(reader, at, FrameHeader.BYTES));
        ByteBuffer whole = read(reader, at, header.frameBytes());
        assertThat(header.number()).isEqualTo(each.position().number());
        assertThat(header.epoch()).isEqualTo(1);
        assertThat(UTF_8.decode(whole.slice(FrameHeader.BYTES, header.infoBytes())).toString())
            .isEqualTo(each.infos());
        assertThat(
                UTF_8.decode(whole.slice(header.payloadOffset(), header.payloadBytes())).toString())
            .isEqualTo(each.payloads());
        for (int from = 0; from < header.frameBytes(); from += 37) {
          int bytes = Math.min(50, header.frameBytes() - from);
          assertThat(read(reader, at.plus(from), bytes)).isEqualTo(whole.slice(from, bytes));
        }
      }
    }
  }

  private static ByteBuffer read(StreamReader reader, Location at, int bytes) throws Exception {
    ByteBuffer into = ByteBuffer.allocate(bytes);
    reader.read(at, into);
    assertThat(into.hasRemaining()).isFalse();
    return into.flip();
  }

  @Test
  void readsNothingBeyondTheEnd() throws Exception {
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      long last = append(writer, "infos", "payloads").position().frame();
      try (StreamReader reader = store.openReader(SHARD)) {
        for (Location beyond :
            List.of(
                new Location(writer.end().frame(), 0),
                new Location(last, 1 << 20),
                new Location(FrameLocations.of(9, 64), 0))) {
          assertThatThrownBy(() -> reader.read(beyond, ByteBuffer.allocate(1)))
              .as("%s", beyond)
              .isInstanceOf(CorruptStreamException.class);
        }
        assertThat(reader.damaged(new Location(last, 70), "looks wrong"))
            .hasMessageContaining("looks wrong");
      }
    }
  }

  @Test
  void takesTheLargestFrameAndRefusesALargerOne() throws Exception {
    int notes = Frames.notesOf("").length();
    String room = "p".repeat(FrameHeader.MAX_FRAME_BYTES - FrameHeader.BYTES - notes);
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      append(writer, "", room);
      assertThatThrownBy(() -> writer.append(frame("i", room)))
          .isInstanceOf(IllegalArgumentException.class);
      append(writer, "fine", "");
      assertThat(Frames.read(store, StreamStore.START))
          .extracting(Frames.Frame::payloads)
          .containsExactly(room, "");
    }
  }

  @Test
  void anotherWriterContinuesAtTheDurableEndFromAnyBoundary() throws Exception {
    List<Frames.Frame> want = written();
    List<StreamPosition> boundaries = new ArrayList<>(List.of(StreamStore.START));
    for (int i = 3; i < FRAMES; i += 6) {
      boundaries.add(want.get(i).position());
    }
    StreamPosition end = StreamStore.START;
    long epoch = 1;
    long bytes = 0;
    for (StreamPosition boundary : boundaries) {
      try (StreamStore store = open()) {
        StreamWriter writer = store.openWriter(SHARD, ++epoch, boundary);
        assertThat(writer.cut()).isEmpty();
        assertThat(writer.end().number()).isEqualTo(want.size());
        assertThat(writer.writtenBytes()).isGreaterThanOrEqualTo(bytes);
        bytes = writer.writtenBytes();
        want.add(append(writer, "of epoch " + epoch, "more"));
        assertThat(writer.writtenBytes()).isGreaterThanOrEqualTo(bytes + FrameHeader.BYTES + 4);
        end = writer.end();
        assertThat(Frames.read(store, StreamStore.START)).isEqualTo(want);
      }
    }
    try (StreamStore store = open()) {
      assertThat(store.openWriter(SHARD, 99, end).end().number()).isEqualTo(want.size());
    }
  }

  @Test
  void aBoundaryThatIsNoneIsRefusedAndFencesNobody() throws Exception {
    List<Frames.Frame> want = written();
    StreamPosition off = new StreamPosition(want.get(3).position().frame(), 4);
    try (StreamStore store = open()) {
      assertThatThrownBy(() -> store.openWriter(SHARD, 2, off))
          .isInstanceOf(CorruptStreamException.class);
      assertThat(store.epochOf(SHARD)).isEqualTo(1);
      store.openWriter(SHARD, 2, want.get(3).position());
    }
  }

  @Test
  void fencesLowerAndEqualEpochsOfTheSameStream() throws Exception {
    try (StreamStore store = open()) {
      StreamWriter old = store.openWriter(SHARD, 5, StreamStore.START);
      StreamWriter other = store.openWriter(new StreamId(4), 1, StreamStore.START);
      assertThatThrownBy(() -> store.openWriter(SHARD, 5, StreamStore.START))
          .isInstanceOf(StreamFencedException.class);
      append(old, "still alive", "");
      StreamWriter taker = store.openWriter(SHARD, 6, StreamStore.START);
      assertThat(store.epochOf(SHARD)).isEqualTo(6);
      assertThatThrownBy(() -> old.append(frame("late", "")))
          .isInstanceOf(StreamFencedException.class);
      append(taker, "new", "");
      append(other, "other", "");
      assertThat(Frames.infos(store)).containsExactly("still alive", "new");
    }
    try (StreamStore store = open()) {
      store.openWriter(SHARD, 9, StreamStore.START).close();
      assertThatThrownBy(() -> store.openWriter(SHARD, 8, StreamStore.START))
          .as("epoch 9 wrote nothing, but fences all the same")
          .isInstanceOf(StreamFencedException.class);
    }
  }

  /// Appends without waiting until the store refuses, then awaits the oldest.
  @Test
  void framesBecomeDurableInOrder() throws Exception {
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      Deque<PendingFrame> inFlight = new ArrayDeque<>();
      for (int number = 0; number < FRAMES; ) {
        try {
          PendingFrame pending = writer.append(frame("frame " + number, ""));
          assertThat(pending.position().number()).isEqualTo(number);
          inFlight.add(pending);
          number++;
        } catch (IllegalStateException e) {
          assertThat(inFlight).as("a store allows at least one frame in flight").isNotEmpty();
          inFlight.remove().awaitDurable();
        }
      }
      inFlight.getLast().awaitDurable();
      assertThat(inFlight).allMatch(PendingFrame::isDone);
      assertThat(Frames.infos(store)).hasSize(FRAMES);
      writer.close();
      assertThatThrownBy(() -> writer.append(frame("after the end", "")))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void rollsOnDemandButNotTwice() throws Exception {
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      writer.roll();
      long first = append(writer, "first", "").position().frame();
      StreamPosition before = writer.end();
      writer.roll();
      writer.roll();
      Frames.Frame second = append(writer, "second", "");
      assertThat(FrameLocations.segment(second.position().frame()))
          .isEqualTo(FrameLocations.segment(first) + 1);
      assertThat(Frames.read(store, before)).containsExactly(second);
      try (StreamReader reader = store.openReader(SHARD)) {
        assertThat(reader.segments())
            .extracting(StreamReader.Segment::firstFrame)
            .containsExactly(0L, 1L);
      }
    }
  }

  @Test
  void listsSegmentsWithoutGapsAlikeForEveryReader() throws Exception {
    try (StreamStore store = open()) {
      List<Frames.Frame> want = write(store.openWriter(SHARD, 1, StreamStore.START), "a");
      try (StreamReader reader = store.openReader(SHARD);
          StreamStore elsewhere = open();
          StreamReader other = elsewhere.openReader(SHARD)) {
        List<StreamReader.Segment> segments = reader.segments();
        assertThat(other.segments()).isEqualTo(segments);
        assertThat(segments).hasSizeGreaterThan(3);
        for (int i = 0; i < segments.size(); i++) {
          StreamReader.Segment segment = segments.get(i);
          assertThat(segment.number()).isEqualTo(segments.getFirst().number() + i);
          Frames.Frame first = want.get((int) segment.firstFrame());
          assertThat(FrameLocations.segment(first.position().frame())).isEqualTo(segment.number());
        }
        assertThat(segments.getFirst().firstFrame()).isZero();
        assertThat(FrameLocations.segment(want.getLast().position().frame()))
            .isEqualTo(segments.getLast().number());
      }
    }
  }

  @Test
  void copiesASegmentAsItWasListed() throws Exception {
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      List<Frames.Frame> want = write(writer, "a");
      try (StreamReader reader = store.openReader(SHARD);
          StreamStore elsewhere = open();
          StreamReader other = elsewhere.openReader(SHARD)) {
        List<StreamReader.Segment> segments = reader.segments();
        append(writer, "not in the list", "");
        long next = 0;
        for (StreamReader.Segment segment : segments) {
          assertThat(segment.firstFrame()).isEqualTo(next);
          CopiedSegment copy = new CopiedSegment();
          next = reader.copy(segment, Set.of(), copy);
          assertThat(copy.bytes()).hasSize((int) segment.bytes());
          assertThat(copy.damaged()).isEmpty();
          for (int i = 0; i < copy.numbers().size(); i++) {
            Frames.Frame frame = want.get((int) segment.firstFrame() + i);
            assertThat(copy.numbers().get(i)).isEqualTo(frame.position().number());
            Location at = new Location(frame.position().frame(), 0);
            int bytes = FrameHeader.decode(copy.frame(i)).frameBytes();
            assertThat(copy.frame(i).slice(0, bytes)).isEqualTo(read(reader, at, bytes));
          }
          CopiedSegment again = new CopiedSegment();
          assertThat(other.copy(segment, Set.of(), again)).isEqualTo(next);
          assertThat(again.bytes()).isEqualTo(copy.bytes());
        }
        assertThat(next).isEqualTo(FRAMES);
      }
    }
  }

  @Test
  void aReaderFollowsTheWriterOfItsStore() throws Exception {
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      try (StreamReader reader = store.openReader(SHARD);
          FrameCursor cursor = reader.tail(StreamStore.START)) {
        for (int i = 0; i < FRAMES; i++) {
          assertThat(cursor.next()).isFalse();
          Frames.Frame frame = append(writer, "frame " + i, "w".repeat(300));
          assertThat(cursor.next()).isTrue();
          assertThat(cursor.position()).isEqualTo(frame.position());
          assertThat(cursor.epoch()).isEqualTo(1);
          assertThat(UTF_8.decode(cursor.infos()).toString()).isEqualTo(frame.infos());
          assertThat(cursor.after()).isEqualTo(writer.end());
        }
      }
    }
  }

  @Test
  void aReaderFollowsAWriterElsewhereAsOftenAsItIsRefreshed() throws Exception {
    try (StreamStore writing = open();
        StreamStore reading = open();
        StreamReader reader = reading.openReader(SHARD);
        FrameCursor cursor = reader.tail(StreamStore.START)) {
      reader.refresh();
      assertThat(reader.segments()).isEmpty();
      StreamWriter writer = writing.openWriter(SHARD, 1, StreamStore.START);
      List<Frames.Frame> want = new ArrayList<>();
      for (int i = 0; i < FRAMES; i++) {
        want.add(append(writer, "frame " + i, "p".repeat(300)));
        if (i % 5 == 4) {
          assertThat(cursor.next()).isFalse();
          reader.refresh();
          for (int seen = i - 4; seen <= i; seen++) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.position()).isEqualTo(want.get(seen).position());
          }
        }
      }
      reader.refresh();
      assertThat(Frames.read(reader, StreamStore.START)).isEqualTo(want);
      writing.openEraser(SHARD).dropBefore(want.getLast().position().frame());
      reader.refresh();
      try (StreamReader own = writing.openReader(SHARD)) {
        own.refresh();
        assertThat(reader.segments()).isEqualTo(own.segments()).hasSize(1);
      }
    }
  }

  @Test
  void readsWhatAWriterElsewhereHasMadeDurableAndDoesNotDisturbIt() throws Exception {
    try (StreamStore writing = open();
        StreamStore reading = open()) {
      StreamWriter writer = writing.openWriter(SHARD, 1, StreamStore.START);
      assertThat(Frames.infos(reading)).isEmpty();
      List<Frames.Frame> want = new ArrayList<>();
      for (int i = 0; i < FRAMES; i++) {
        want.add(append(writer, "frame " + i, "p".repeat(300)));
        assertThat(Frames.read(reading, StreamStore.START)).isEqualTo(want);
      }
      assertThat(Frames.read(writing, StreamStore.START)).isEqualTo(want);
      assertThat(reading.epochOf(SHARD)).isEqualTo(1);
    }
  }

  @Test
  void aStreamThatWasNeverWrittenIsEmpty() throws Exception {
    try (StreamStore store = open();
        StreamReader reader = store.openReader(SHARD);
        FrameCursor cursor = reader.tail(StreamStore.START)) {
      assertThat(cursor.next()).isFalse();
      assertThat(reader.segments()).isEmpty();
      assertThat(store.epochOf(SHARD)).isEqualTo(-1);
    }
  }
}
