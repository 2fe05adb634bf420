package io.tallystick.storage.stream;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.framing.FrameBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/// A segment appender over a file that keeps nothing: what is left is laying a frame out and its
/// checksums.
final class NoDisk {
  private static final SegmentHeader SEGMENT = new SegmentHeader(0, 0, 0, 0, 1);

  private final StreamState state =
      new StreamState(new TreeMap<>(Map.of(0, SEGMENT)), StreamState.start(SEGMENT));
  private final SegmentAppender appender;

  /// @param disk never written to
  NoDisk(Disk disk) throws IOException {
    SegmentFile segment =
        new SegmentFile(new Nowhere(), new Nowhere(), SEGMENT, StreamSettings.DEFAULT);
    // Nothing here ever rolls, so no further segment is made.
    SegmentFactory factory =
        new SegmentFactory(new StreamFiles(disk, "", new StreamId(0)), StreamSettings.DEFAULT);
    appender =
        new SegmentAppender(
            factory, StreamSettings.DEFAULT, state, segment, new Random(1), _ -> {});
  }

  void append(FrameBuffer frame) throws IOException {
    state.advance(StreamState.start(SEGMENT));
    appender.append(frame, 1);
  }

  private static final class Nowhere implements DiskFile {
    @Override
    public String name() {
      return "nowhere";
    }

    @Override
    public long size() {
      return StreamSettings.DEFAULT.segmentBytes();
    }

    @Override
    public int read(long position, ByteBuffer into) {
      return 0;
    }

    @Override
    public void write(long position, ByteBuffer from) {
      from.position(from.limit());
    }

    @Override
    public void force() {}

    @Override
    public void truncate(long size) {}

    @Override
    public void allocate(long size) {}

    @Override
    public void close() {}
  }
}
