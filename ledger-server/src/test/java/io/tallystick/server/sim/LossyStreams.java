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
import java.util.concurrent.atomic.AtomicBoolean;

/// Streams that lose a frame, or have one twice, and show those that are written.
///
/// @param dropAt of each writer's frames, the one that is answered and not written
/// @param skipAt of each cursor's frames, the one that is passed over
/// @param twiceAt of each cursor's frames, the one that comes twice
/// @param happened whether a cursor did one of both
/// @param watch told of each frame before it is written
record LossyStreams(
    StreamStore streams, int dropAt, int skipAt, int twiceAt, AtomicBoolean happened, Watch watch)
    implements StreamStore {
  private static final int NONE = Integer.MAX_VALUE;
  private static final Watch NOBODY = _ -> {};

  /// Sees a frame before it is written.
  @FunctionalInterface
  interface Watch {
    void appending(FrameBuffer frame) throws IOException;
  }

  static LossyStreams dropping(StreamStore streams, int at) {
    return new LossyStreams(streams, at, NONE, NONE, new AtomicBoolean(), NOBODY);
  }

  static LossyStreams skipping(StreamStore streams, int at, AtomicBoolean happened) {
    return new LossyStreams(streams, NONE, at, NONE, happened, NOBODY);
  }

  static LossyStreams doubling(StreamStore streams, int at, AtomicBoolean happened) {
    return new LossyStreams(streams, NONE, NONE, at, happened, NOBODY);
  }

  static LossyStreams watching(StreamStore streams, Watch watch) {
    return new LossyStreams(streams, NONE, NONE, NONE, new AtomicBoolean(), watch);
  }

  @Override
  public StreamWriter openWriter(StreamId id, long epoch, StreamPosition from)
      throws IOException, CorruptStreamException {
    return new LossyWriter(streams.openWriter(id, epoch, from), this);
  }

  @Override
  public long epochOf(StreamId id) throws IOException, CorruptStreamException {
    return streams.epochOf(id);
  }

  @Override
  public StreamReader openReader(StreamId id) throws IOException, CorruptStreamException {
    return new LossyReader(streams.openReader(id), this);
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
    private final LossyStreams lossy;
    private int frames;

    LossyWriter(StreamWriter writer, LossyStreams lossy) {
      this.writer = writer;
      this.lossy = lossy;
    }

    @Override
    public StreamPosition end() {
      // Who asks is not to see that a frame is missing.
      StreamPosition end = writer.end();
      return frames < lossy.dropAt ? end : new StreamPosition(end.frame(), end.number() + 1);
    }

    @Override
    public long epoch() {
      return writer.epoch();
    }

    @Override
    public PendingFrame append(FrameBuffer frame) throws IOException {
      lossy.watch.appending(frame);
      if (++frames != lossy.dropAt) {
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

  private record LossyReader(StreamReader reader, LossyStreams lossy) implements StreamReader {
    @Override
    public void read(Location at, ByteBuffer into) throws IOException, CorruptStreamException {
      reader.read(at, into);
    }

    @Override
    public FrameCursor tail(StreamPosition from) throws IOException {
      return new LossyCursor(reader.tail(from), lossy);
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
    private final LossyStreams lossy;
    private int frames;
    private boolean again;

    LossyCursor(FrameCursor cursor, LossyStreams lossy) {
      this.cursor = cursor;
      this.lossy = lossy;
    }

    @Override
    public boolean next() throws IOException, CorruptStreamException {
      if (again) {
        again = false;
        lossy.happened.set(true);
        return true;
      }
      boolean more = cursor.next();
      frames++;
      again = more && frames == lossy.twiceAt;
      if (more && frames == lossy.skipAt) {
        lossy.happened.set(true);
        return cursor.next();
      }
      return more;
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
