package io.tallystick.storage.stream;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.framing.FrameLocations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The files of one stream: `DIRECTORY/SHARD/SEGMENT.seg` (both 8 hex digits), `EPOCH` and
/// `spare.seg`, a segment without a header that waits to be used.
final class StreamFiles {
  private static final Pattern SEGMENT_NAME = Pattern.compile("([0-9a-f]{8})\\.seg");

  private final Disk disk;
  private final StreamId id;
  private final String directory;

  StreamFiles(Disk disk, String parent, StreamId id) {
    this.disk = disk;
    this.id = id;
    this.directory = directory(parent, id);
  }

  static String directory(String parent, StreamId id) {
    return (parent.isEmpty() ? "" : parent + "/") + HexFormat.of().toHexDigits(id.shard());
  }

  Disk disk() {
    return disk;
  }

  StreamId id() {
    return id;
  }

  String directory() {
    return directory;
  }

  String segment(int segment) {
    return segment(directory, segment);
  }

  static String segment(String directory, int segment) {
    return directory + "/" + HexFormat.of().toHexDigits(segment) + ".seg";
  }

  /// Position of a frame in its segment's file. {@link StreamStore#START} says 0; the first frame
  /// lies behind the segment's header.
  static long position(long frame) {
    return Math.max(FrameLocations.place(frame), SegmentHeader.BYTES);
  }

  String spare() {
    return directory + "/spare.seg";
  }

  String epoch() {
    return directory + "/EPOCH";
  }

  /// Numbers of the segments that there are.
  NavigableSet<Integer> numbers() throws IOException {
    NavigableSet<Integer> numbers = new TreeSet<>();
    for (String name : disk.list(directory)) {
      Matcher matcher = SEGMENT_NAME.matcher(name);
      if (matcher.matches()) {
        numbers.add(Integer.parseUnsignedInt(matcher.group(1), 16));
      }
    }
    return numbers;
  }

  /// Headers of all segments by number, without gaps.
  NavigableMap<Integer, SegmentHeader> readHeaders() throws IOException, CorruptStreamException {
    return readHeaders(numbers());
  }

  /// Headers of some segments, without gaps. The next segment's header says how much was durable in
  /// the one before: so much of it must be there.
  NavigableMap<Integer, SegmentHeader> readHeaders(NavigableSet<Integer> numbers)
      throws IOException, CorruptStreamException {
    List<Sized> found = new ArrayList<>();
    for (int number : numbers) {
      found.add(readHeader(number));
    }
    NavigableMap<Integer, SegmentHeader> headers = new TreeMap<>();
    Sized previous = null;
    for (Sized each : found) {
      if (previous != null) {
        checkFollows(each.header(), previous);
      }
      headers.put(each.header().segment(), each.header());
      previous = each;
    }
    return headers;
  }

  /// A segment's header, and how many bytes its file has.
  private record Sized(SegmentHeader header, long bytes) {}

  private Sized readHeader(int segment) throws IOException, CorruptStreamException {
    ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.BYTES);
    if (!disk.exists(segment(segment))) { // deleted meanwhile; opening would make it anew
      throw new NoSuchFileException(segment(segment));
    }
    try (DiskFile file = disk.open(segment(segment))) {
      file.read(0, bytes);
      return new Sized(SegmentHeader.decode(bytes.flip(), id.shard(), segment), file.size());
    } catch (MalformedException e) {
      throw corrupt(segment, 0, e);
    }
  }

  private void checkFollows(SegmentHeader header, Sized previous) throws CorruptStreamException {
    SegmentHeader before = previous.header();
    if (header.segment() != before.segment() + 1
        || header.firstFrame() < before.firstFrame()
        || header.bytesBefore() < before.bytesBefore()) {
      throw new CorruptStreamException(
          segment(header.segment()), 0, "does not follow segment " + before.segment());
    }
    checkLength(
        before.segment(),
        previous.bytes(),
        SegmentHeader.BYTES + header.bytesBefore() - before.bytesBefore());
  }

  /// @param bytes that the segment's file has
  /// @param durable bytes known to have been forced
  /// @throws CorruptStreamException if there are fewer
  void checkLength(int segment, long bytes, long durable) throws CorruptStreamException {
    if (bytes < durable) {
      throw new CorruptStreamException(
          segment(segment),
          bytes,
          String.format(Locale.ROOT, "cut off: %d bytes of it were durable", durable));
    }
  }

  CorruptStreamException corrupt(int segment, long position, MalformedException cause) {
    CorruptStreamException corrupt =
        new CorruptStreamException(segment(segment), position, String.valueOf(cause.getMessage()));
    corrupt.initCause(cause);
    return corrupt;
  }

  CorruptStreamException missing(int segment, long position, NoSuchFileException cause) {
    CorruptStreamException corrupt =
        new CorruptStreamException(segment(segment), position, "there is no such segment");
    corrupt.initCause(cause);
    return corrupt;
  }
}
