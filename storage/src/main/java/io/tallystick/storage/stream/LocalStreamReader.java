package io.tallystick.storage.stream;

import io.tallystick.storage.framing.FrameLocations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Reads a local stream below the durable end its writer has reached.
final class LocalStreamReader implements StreamReader {
  private final StreamFiles files;
  private final StreamState state;
  private final SegmentCache cache;
  private final boolean isWritten;

  /// @param isWritten whether a writer of this store moves the state
  LocalStreamReader(StreamFiles files, StreamState state, SegmentCache cache, boolean isWritten) {
    this.isWritten = isWritten;
    this.files = files;
    this.state = state;
    this.cache = cache;
  }

  @Override
  public void read(Location at, ByteBuffer into) throws IOException, CorruptStreamException {
    int segment = FrameLocations.segment(at.frame());
    long position = StreamFiles.position(at.frame()) + at.offset();
    String name = files.segment(segment);
    if (state.segment(segment) == null) {
      throw new CorruptStreamException(name, position, "there is no such segment");
    }
    StreamPosition end = state.durable();
    if (segment == FrameLocations.segment(end.frame())
        && position + into.remaining() > StreamFiles.position(end.frame())) {
      throw new CorruptStreamException(
          name,
          position,
          String.format(
              Locale.ROOT,
              "%d bytes reach beyond the durable end %d",
              into.remaining(),
              StreamFiles.position(end.frame())));
    }
    int wanted = into.remaining();
    int count;
    try {
      count = cache.read(name, position, into);
    } catch (NoSuchFileException e) {
      throw files.missing(segment, position, e); // dropped since
    }
    if (count < wanted) {
      throw new CorruptStreamException(
          name, position, String.format(Locale.ROOT, "%d bytes, want %d", count, wanted));
    }
  }

  @Override
  public synchronized void refresh() throws IOException, CorruptStreamException {
    if (!isWritten) {
      DurableEnd.advance(files, state);
    }
  }

  @Override
  public CorruptStreamException damaged(Location at, String detail) {
    return new CorruptStreamException(
        files.segment(FrameLocations.segment(at.frame())),
        StreamFiles.position(at.frame()) + at.offset(),
        detail);
  }

  @Override
  public FrameCursor tail(StreamPosition from) {
    return new LocalFrameCursor(files, state, cache, from);
  }

  @Override
  public List<Segment> segments() {
    return state.list();
  }

  @Override
  public long copy(Segment segment, Set<Long> unfinished, SegmentSink sink)
      throws IOException, CorruptStreamException {
    return new SegmentCopy(files, cache).read(segment, unfinished, sink);
  }

  /// Open files belong to the store.
  @Override
  public void close() {}
}
