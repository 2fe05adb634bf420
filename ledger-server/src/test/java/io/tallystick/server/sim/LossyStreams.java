package io.tallystick.server.sim;

import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.PendingFrame;
import io.tallystick.storage.stream.SegmentSink;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/// Streams that lose a frame.
///
/// @param dropAt of each writer's frames, the one that is answered and not written
/// @param skipAt of each cursor's frames, the one that is passed over
record LossyStreams(StreamStore streams, int dropAt, int skipAt) implements StreamStore {
  @Override
  public StreamWriter openWriter(StreamId id, long epoch, StreamPosition from)
      throws IOException, CorruptStreamException {
    return new LossyWriter(streams.openWriter(id, epoch, from), dropAt);
  }

  @Override
  public long epochOf(StreamId id) throws IOException, CorruptStreamException {
    return streams.epochOf(id);
  }

  @Override
  public StreamReader openReader(StreamId id) throws IOException, CorruptStreamException {
    return new LossyReader(streams.openReader(id), skipAt);
  }

  @Override
  public StreamEraser openEraser(StreamId id) {
    return streams.openEraser(id);
  }

  @Override
  public void close() throws IOException {
    streams.close();
  }

  private static final class LossyWriter implements StreamWriter {
    private final StreamWriter writer;
    private final int dropAt;
    private int frames;

    LossyWriter(StreamWriter writer, int dropAt) {
      this.writer = writer;
      this.dropAt = dropAt;
    }

    @Override
    public StreamPosition end() {
      // Who asks is not to see that a frame is missing.
      StreamPosition end = writer.end();
      return frames < dropAt ? end : new StreamPosition(end.frame(), end.number() + 1);
    }

    @Override
    public long epoch() {
      return writer.epoch();
    }

    @Override
    public PendingFrame append(FrameBuffer frame) throws IOException {
      if (++frames != dropAt) {
        return writer.append(frame);
      }
      StreamPosition at = writer.end();
      return new PendingFrame() {
        @Override
        public StreamPosition position() {
          return at;
        }

        @Override
        public boolean isDone() {
          return true;
        }

        @Override
        public void awaitDurable() {}
      };
    }

    @Override
    public void roll() throws IOException {
      writer.roll();
    }

    @Override
    public long writtenBytes() {
      return writer.writtenBytes();
    }

    @Override
    public void close() throws IOException {
      writer.close();
    }
  }

  private record LossyReader(StreamReader reader, int skipAt) implements StreamReader {
    @Override
    public void read(Location at, ByteBuffer into) throws IOException, CorruptStreamException {
      reader.read(at, into);
    }

    @Override
    public FrameCursor tail(StreamPosition from) throws IOException {
      return new LossyCursor(reader.tail(from), skipAt);
    }

    @Override
    public CorruptStreamException damaged(Location at, String detail) {
      return reader.damaged(at, detail);
    }

    @Override
    public List<Segment> segments() throws IOException {
      return reader.segments();
    }

    @Override
    public void refresh() throws IOException, CorruptStreamException {
      reader.refresh();
    }

    @Override
    public long copy(Segment segment, Set<Long> unfinished, SegmentSink sink)
        throws IOException, CorruptStreamException {
      return reader.copy(segment, unfinished, sink);
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }

  private static final class LossyCursor implements FrameCursor {
    private final FrameCursor cursor;
    private final int skipAt;
    private int frames;

    LossyCursor(FrameCursor cursor, int skipAt) {
      this.cursor = cursor;
      this.skipAt = skipAt;
    }

    @Override
    public boolean next() throws IOException, CorruptStreamException {
      boolean more = cursor.next();
      frames++;
      return more && (frames != skipAt || cursor.next());
    }

    @Override
    public StreamPosition position() {
      return cursor.position();
    }

    @Override
    public long epoch() {
      return cursor.epoch();
    }

    @Override
    public ByteBuffer infos() {
      return cursor.infos();
    }

    @Override
    public ByteBuffer notes() {
      return cursor.notes();
    }

    @Override
    public int payloadOffset() {
      return cursor.payloadOffset();
    }

    @Override
    public int payloadBytes() {
      return cursor.payloadBytes();
    }

    @Override
    public StreamPosition after() {
      return cursor.after();
    }

    @Override
    public void close() throws IOException {
      cursor.close();
    }
  }
}
