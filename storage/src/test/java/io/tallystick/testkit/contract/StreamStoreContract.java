package io.tallystick.testkit.contract;

import static io.tallystick.testkit.contract.Frames.SHARD;
import static io.tallystick.testkit.contract.Frames.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.PendingFrame;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What every {@link StreamStore} must do. A second store of the same streams stands for another
/// process.
public abstract class StreamStoreContract {
  private static final int FRAMES = 40;

  /// A store of the same streams at each call.
  protected abstract StreamStore open() throws Exception;

  @Test
  void readsBackFramesInOrderAcrossSegments() throws Exception {
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      List<String> want = write(writer, "a");
      assertThat(Frames.infos(store)).isEqualTo(want);
    }
  }

  @Test
  void anotherWriterContinuesAtTheDurableEnd() throws Exception {
    List<String> want = new ArrayList<>();
    StreamPosition end;
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      want.addAll(write(writer, "a"));
      end = writer.end();
    }
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 2, StreamStore.START);
      assertThat(writer.end()).isEqualTo(end);
      want.addAll(write(writer, "b"));
      assertThat(Frames.infos(store)).isEqualTo(want);
    }
  }

  @Test
  void fencesLowerAndEqualEpochs() throws Exception {
    try (StreamStore store = open()) {
      StreamWriter old = store.openWriter(SHARD, 5, StreamStore.START);
      assertThatThrownBy(() -> store.openWriter(SHARD, 5, StreamStore.START))
          .isInstanceOf(StreamFencedException.class);
      StreamWriter taker = store.openWriter(SHARD, 6, StreamStore.START);
      assertThat(store.epochOf(SHARD)).isEqualTo(6);
      assertThatThrownBy(() -> old.append(frame("late", "")))
          .isInstanceOf(StreamFencedException.class);
      taker.append(frame("new", "")).awaitDurable();
      assertThat(Frames.infos(store)).containsExactly("new");
    }
    try (StreamStore store = open()) {
      assertThatThrownBy(() -> store.openWriter(SHARD, 6, StreamStore.START))
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
    }
  }

  @Test
  void readsAClosedStreamWithoutAWriter() throws Exception {
    List<String> want;
    StreamPosition end;
    try (StreamStore store = open()) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      want = write(writer, "a");
      end = writer.end();
    }
    try (StreamStore store = open();
        StreamReader reader = store.openReader(SHARD)) {
      assertThat(Frames.infos(store)).isEqualTo(want);
      assertThatThrownBy(() -> reader.read(new Location(end.frame(), 0), ByteBuffer.allocate(1)))
          .isInstanceOf(CorruptStreamException.class);
    }
  }

  @Test
  void readsWhatAWriterElsewhereHasMadeDurableAndDoesNotDisturbIt() throws Exception {
    try (StreamStore writing = open();
        StreamStore reading = open()) {
      StreamWriter writer = writing.openWriter(SHARD, 1, StreamStore.START);
      assertThat(Frames.infos(reading)).isEmpty();
      List<String> want = new ArrayList<>();
      for (int i = 0; i < FRAMES; i++) {
        want.add("frame " + i);
        writer.append(frame(want.getLast(), "p".repeat(300))).awaitDurable();
        assertThat(Frames.infos(reading)).isEqualTo(want);
      }
      assertThat(Frames.infos(writing)).isEqualTo(want);
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

  private static List<String> write(StreamWriter writer, String name) throws Exception {
    List<String> infos = new ArrayList<>();
    for (int i = 0; i < FRAMES; i++) {
      infos.add(name + i);
      writer.append(frame(infos.getLast(), "p".repeat(i * 9))).awaitDurable();
      if (i == FRAMES / 2) {
        writer.roll();
      }
    }
    return infos;
  }
}
