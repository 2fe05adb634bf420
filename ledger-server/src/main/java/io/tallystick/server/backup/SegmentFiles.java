package io.tallystick.server.backup;

import io.tallystick.model.MalformedException;
import io.tallystick.server.backup.BackupManifest.Part;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.SegmentHeader;
import io.tallystick.storage.stream.SegmentSink;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;

/// The segments of a shard's stream as files of a backup, which are those of shard 0 whatever the
/// shard's number. One thread's.
final class SegmentFiles {
  private static final StreamId LOCAL = new StreamId(0);

  private final Disk disk;
  private final BackupFileWriter.Meter meter;
  private final FramePlaces places = new FramePlaces();
  private final NavigableMap<Integer, Part> parts = new TreeMap<>();
  private final NavigableSet<Long> damaged = new TreeSet<>();

  SegmentFiles(Disk disk, BackupFileWriter.Meter meter) {
    this.disk = disk;
    this.meter = meter;
  }

  FramePlaces places() {
    return places;
  }

  List<Part> parts() {
    return List.copyOf(parts.values());
  }

  /// Numbers of frames of which bodies are damaged.
  List<Long> damaged() {
    return List.copyOf(damaged);
  }

  /// Forgets a segment and those behind it.
  void dropFrom(int segment) throws IOException {
    NavigableMap<Integer, Part> gone = parts.tailMap(segment, true);
    for (Part part : gone.values()) {
      disk.delete(part.name());
    }
    gone.clear();
    places.dropFrom(segment);
    damaged.tailSet(places.next(), true).clear();
  }

  /// Forgets the segments below one.
  void dropBefore(int segment) throws IOException {
    NavigableMap<Integer, Part> gone = parts.headMap(segment, false);
    for (Part part : gone.values()) {
      disk.delete(part.name());
    }
    gone.clear();
    places.dropBefore(segment);
    damaged.headSet(places.first(), false).clear();
  }

  boolean has(int segment) {
    return parts.containsKey(segment);
  }

  /// Copies a segment behind those that were copied.
  ///
  /// @param limit number of the first frame that is left out
  void copy(StreamReader stream, StreamReader.Segment segment, long limit)
      throws IOException, CorruptStreamException {
    places.begin(segment.number(), segment.firstFrame());
    try {
      parts.put(segment.number(), write(stream, segment, limit, places::add));
    } catch (IOException | CorruptStreamException e) {
      dropFrom(segment.number());
      disk.delete(BackupFiles.segment(LOCAL, segment.number()));
      throw e;
    }
  }

  /// Copies a segment once more, in which frames may have been erased: all have the places that
  /// they had.
  void copyAgain(StreamReader stream, StreamReader.Segment segment)
      throws IOException, CorruptStreamException {
    damaged.removeIf(number -> FrameLocations.segment(places.of(number, 0)) == segment.number());
    Part before = parts.get(segment.number());
    Part now = write(stream, segment, Long.MAX_VALUE, _ -> {});
    if (before == null || before.bytes() != now.bytes()) {
      throw new CorruptStreamException(now.name(), now.bytes(), "it had another length before");
    }
    parts.put(segment.number(), now);
  }

  private Part write(
      StreamReader stream, StreamReader.Segment segment, long limit, IntConsumer frames)
      throws IOException, CorruptStreamException {
    String name = BackupFiles.segment(LOCAL, segment.number());
    disk.delete(name);
    try (BackupFileWriter part = new BackupFileWriter(disk, name, meter)) {
      long _ = stream.copy(segment, Set.of(), new Sink(part, segment.number(), limit, frames));
      return part.finish();
    }
  }

  private final class Sink implements SegmentSink {
    private final BackupFileWriter part;
    private final int segment;
    private final long limit;
    private final IntConsumer frames;

    /// @param frames takes the bytes of each
    Sink(BackupFileWriter part, int segment, long limit, IntConsumer frames) {
      this.part = part;
      this.segment = segment;
      this.limit = limit;
      this.frames = frames;
    }

    @Override
    public void header(ByteBuffer bytes) throws IOException {
      try {
        SegmentHeader header = SegmentHeader.decode(bytes, segment);
        part.write(
            new SegmentHeader(
                    LOCAL.shard(),
                    segment,
                    header.firstFrame(),
                    header.bytesBefore(),
                    header.nonce())
                .encode());
      } catch (MalformedException e) {
        throw new IOException("segment " + segment + ": " + e.getMessage(), e);
      }
    }

    @Override
    public void frame(long number, ByteBuffer bytes, int infoBytes) throws IOException {
      if (number < limit) {
        frames.accept(bytes.remaining());
        part.write(bytes);
      }
    }

    @Override
    public void damaged(long number, long position) {
      if (number < limit) {
        damaged.add(number);
      }
    }
  }
}
