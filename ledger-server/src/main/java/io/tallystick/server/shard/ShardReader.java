package io.tallystick.server.shard;

import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.SegmentSink;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The reader of a shard's stream: at first one that finds the durable end itself, then that of the
/// shard's own writer. One thread changes it, any thread reads.
final class ShardReader implements StreamReader {
  private volatile @Nullable StreamReader present;

  boolean isOpen() {
    return present != null;
  }

  /// Reads through another from now on, and closes the one before.
  void become(StreamReader next) throws IOException {
    StreamReader before = present;
    present = next;
    if (before != null) {
      before.close();
    }
  }

  private StreamReader reader() {
    StreamReader reader = present;
    if (reader == null) {
      throw new IllegalStateException("the stream is not open");
    }
    return reader;
  }

  @Override
  public void read(Location at, ByteBuffer into) throws IOException, CorruptStreamException {
    reader().read(at, into);
  }

  @Override
  public FrameCursor tail(StreamPosition from) throws IOException {
    return reader().tail(from);
  }

  @Override
  public CorruptStreamException damaged(Location at, String detail) {
    return reader().damaged(at, detail);
  }

  @Override
  public List<Segment> segments() throws IOException {
    return reader().segments();
  }

  @Override
  public void refresh() throws IOException, CorruptStreamException {
    reader().refresh();
  }

  @Override
  public long copy(Segment segment, Set<Long> unfinished, SegmentSink sink)
      throws IOException, CorruptStreamException {
    return reader().copy(segment, unfinished, sink);
  }

  @Override
  public void close() throws IOException {
    StreamReader reader = present;
    if (reader != null) {
      reader.close();
    }
  }
}
