package io.tallystick.storage.stream;

import static io.tallystick.testkit.contract.Frames.SHARD;
import static io.tallystick.testkit.contract.Frames.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.testkit.contract.Frames;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The sizes of local segments, and what a local store says; the rest is the contract's.
class LocalStreamStoreTest {
  private final InMemoryDisk disk = new InMemoryDisk();

  @Test
  void readsBackFramesInOrder() throws Exception {
    try (StreamStore store = Frames.store(disk);
        StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START)) {
      assertThat(Frames.infos(store)).isEmpty();
      append(writer, "one", "PAYLOAD ONE");
      append(writer, "", "");
      append(writer, "three", "");
      assertThat(Frames.read(store, StreamStore.START))
          .extracting(Frames.Frame::infos, Frames.Frame::payloads, Frames.Frame::epoch)
          .containsExactly(
              tuple("one", "PAYLOAD ONE", 1L), tuple("", "", 1L), tuple("three", "", 1L));
    }
  }

  @Test
  void continuesAfterReopeningFromStartOrFromAnyBoundary() throws Exception {
    List<StreamPosition> boundaries = new ArrayList<>();
    boundaries.add(StreamStore.START);
    try (StreamStore store = Frames.store(disk)) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      for (int i = 0; i < 40; i++) {
        append(writer, "frame " + i, "x".repeat(i * 7));
        boundaries.add(writer.end());
      }
    }
    long written = 0;
    for (int i = 0; i < boundaries.size(); i++) {
      InMemoryDisk copy = disk.copy();
      try (StreamStore store = Frames.store(copy)) {
        StreamWriter writer = store.openWriter(SHARD, 2, boundaries.get(i));
        written = writer.writtenBytes();
        assertThat(writer.end()).isEqualTo(boundaries.getLast());
        append(writer, "more", "");
        assertThat(Frames.read(store, boundaries.get(i))).hasSize(41 - i);
        assertThat(writer.writtenBytes()).isEqualTo(written + 128);
      }
    }
  }

  @Test
  void neverLetsAFrameSpanSegments() throws Exception {
    try (StreamStore store = Frames.store(disk)) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      for (int i = 0; i < 20; i++) {
        append(writer, "frame " + i, "y".repeat(500));
      }
      append(writer, "larger than a segment", "z".repeat(5000));
      append(writer, "last", "");
      List<StreamReader.Segment> segments = store.openReader(SHARD).segments();
      assertThat(segments).hasSize(9);
      assertThat(segments.get(6).bytes()).isEqualTo(64 + 2 * 640);
      assertThat(segments.get(7)).isEqualTo(new StreamReader.Segment(7, 20, 64 + 5120));
      assertThat(segments.get(8)).isEqualTo(new StreamReader.Segment(8, 21, 64 + 128));
      assertThat(Frames.infos(store)).hasSize(22);
    }
    assertThat(reopened()).hasSize(22);
  }

  @Test
  void refusesReadsBeyondTheDurableEnd() throws Exception {
    try (StreamStore store = Frames.store(disk)) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      append(writer, "a", "b");
      StreamReader reader = store.openReader(SHARD);
      long end = writer.end().frame();
      assertThatThrownBy(() -> reader.read(new Location(end, 0), ByteBuffer.allocate(1)))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("beyond the durable end");
      assertThatThrownBy(() -> reader.read(new Location(7L << 32, 0), ByteBuffer.allocate(1)))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("no such segment");
    }
  }

  /// The production store: files, its own threads, random nonces, default sizes.
  @Test
  void worksOnFilesWithTheDefaultSettings(@TempDir Path directory) throws Exception {
    for (long epoch = 1; epoch <= 3; epoch++) {
      try (LocalDisk local = LocalDisk.open(directory);
          StreamStore store = LocalStreamStore.open(local, "s", StreamSettings.DEFAULT)) {
        StreamWriter writer = store.openWriter(SHARD, epoch, StreamStore.START);
        for (int i = 0; i < 10; i++) {
          append(writer, "epoch " + epoch, "q".repeat(100_000));
        }
        assertThat(Frames.infos(store)).hasSize((int) epoch * 10);
      }
    }
  }

  private List<String> reopened() throws IOException, CorruptStreamException {
    try (StreamStore store = Frames.store(disk)) {
      store.openWriter(SHARD, 100, StreamStore.START).close();
      return Frames.infos(store);
    }
  }

  private static void append(StreamWriter writer, String infos, String payloads)
      throws IOException {
    writer.append(frame(infos, payloads)).awaitDurable();
  }
}
