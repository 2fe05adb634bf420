package io.tallystick.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.PendingFrame;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// Makes frames whose content follows from their number and a salt, and reads them back.
public final class Frames {
  public static final StreamId SHARD = new StreamId(3);
  public static final String DIRECTORY = "stream";

  /// Small, so that short runs cross segments and allocations.
  public static final StreamSettings SMALL = new StreamSettings(2048, 256, 512);

  private Frames() {}

  public static LocalStreamStore store(Disk disk) {
    return LocalStreamStore.openDeterministic(disk, DIRECTORY, SMALL, new SplittableRandom(5));
  }

  /// One frame read back.
  public record Frame(
      StreamPosition position, long epoch, String infos, String payloads, String notes) {}

  public static FrameBuffer frame(String infos, String payloads) {
    FrameBuffer frame = new FrameBuffer();
    frame.infos().put(infos.getBytes(UTF_8));
    frame.payloads().put(payloads.getBytes(UTF_8));
    frame.notes().put(notesOf(infos).getBytes(UTF_8));
    return frame;
  }

  /// The notes that {@link #frame} gives a frame.
  public static String notesOf(String infos) {
    return String.format(Locale.ROOT, "notes %08x", infos.hashCode());
  }

  /// Appends a frame and waits until it is durable.
  public static Frame append(StreamWriter writer, String infos, String payloads)
      throws IOException {
    PendingFrame pending = writer.append(frame(infos, payloads));
    pending.awaitDurable();
    return new Frame(pending.position(), writer.epoch(), infos, payloads, notesOf(infos));
  }

  /// All frames from `from` on, payloads included.
  public static List<Frame> read(StreamStore store, StreamPosition from)
      throws IOException, CorruptStreamException {
    return read(store, SHARD, from);
  }

  /// The same of another stream.
  public static List<Frame> read(StreamStore store, StreamId id, StreamPosition from)
      throws IOException, CorruptStreamException {
    try (StreamReader reader = store.openReader(id)) {
      return read(reader, from);
    }
  }

  /// The same through an open reader.
  public static List<Frame> read(StreamReader reader, StreamPosition from)
      throws IOException, CorruptStreamException {
    List<Frame> frames = new ArrayList<>();
    try (FrameCursor cursor = reader.tail(from)) {
      while (cursor.next()) {
        ByteBuffer payloads = ByteBuffer.allocate(cursor.payloadBytes());
        reader.read(new Location(cursor.position().frame(), cursor.payloadOffset()), payloads);
        frames.add(
            new Frame(
                cursor.position(),
                cursor.epoch(),
                text(cursor.infos()),
                text(payloads.flip()),
                text(cursor.notes())));
      }
    }
    return frames;
  }

  public static List<String> infos(StreamStore store) throws IOException, CorruptStreamException {
    return read(store, StreamStore.START).stream().map(Frame::infos).toList();
  }

  private static String text(ByteBuffer bytes) {
    return UTF_8.decode(bytes).toString();
  }
}
