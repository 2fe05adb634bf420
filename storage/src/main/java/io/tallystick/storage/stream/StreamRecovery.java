package io.tallystick.storage.stream;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.framing.FrameScan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/// Finds the durable end of a stream and makes it so. First {@link #scan}, which changes nothing
/// and refuses a damaged stream; then {@link #repair}. Source: `docs/formats/frame.md`, "Recovery".
final class StreamRecovery {
  /// A frame that was found, and where.
  record Found(FrameHeader header, long position) {}

  /// The result of a scan.
  ///
  /// @param last the newest frame, if it lies in the last segment and may be in the page cache
  ///   only; null if there is none or it is known to be durable
  /// @param epoch the highest of the frames seen; -1 if there are none
  /// @param torn whether bytes behind the end must be zeroed
  record Tail(
      SegmentHeader segment,
      long position,
      long number,
      @Nullable Found last,
      long epoch,
      boolean torn) {
    StreamPosition end() {
      return new StreamPosition(FrameLocations.of(segment.segment(), position), number);
    }
  }

  private final StreamFiles files;
  private final NavigableMap<Integer, SegmentHeader> segments;
  private final FrameScan scan = new FrameScan();

  private long number;
  private long epoch = -1;

  StreamRecovery(StreamFiles files, NavigableMap<Integer, SegmentHeader> segments) {
    this.files = files;
    this.segments = segments;
  }

  Tail scan(StreamPosition from) throws IOException, CorruptStreamException {
    int first = FrameLocations.segment(from.frame());
    long position = StreamFiles.position(from.frame());
    number = from.number();
    SegmentHeader segment = segments.get(first);
    if (segment == null) {
      throw new CorruptStreamException(files.segment(first), 0, "the segment is missing");
    }
    if (position % FrameHeader.ALIGNMENT != 0
        || (position == SegmentHeader.BYTES && segment.firstFrame() != number)) {
      throw new CorruptStreamException(
          files.segment(first),
          position,
          String.format(
              Locale.ROOT,
              "no boundary before frame %d: the segment begins with frame %d",
              number,
              segment.firstFrame()));
    }
    Tail tail = scanSegment(segment, position);
    SegmentHeader next;
    while ((next = segments.get(tail.segment().segment() + 1)) != null) {
      tail = scanSegment(next, SegmentHeader.BYTES);
    }
    return tail;
  }

  private Tail scanSegment(SegmentHeader segment, long start)
      throws IOException, CorruptStreamException {
    try (DiskFile file = files.disk().open(files.segment(segment.segment()))) {
      files.checkLength(segment.segment(), file.size(), start);
      SegmentHeader next = segments.get(segment.segment() + 1);
      long position = start;
      Found last = null;
      while (next == null || next.firstFrame() != number) {
        FrameHeader frame = frameAt(file, segment, position, next);
        if (frame == null) {
          return end(file, segment, position, last);
        }
        last = new Found(frame, position);
        position += frame.alignedBytes();
        number++;
      }
      return new Tail(segment, position, number, null, epoch, false);
    }
  }

  /// The frame there; null if it is not whole and nothing shows that it ever was.
  private @Nullable FrameHeader frameAt(
      DiskFile file, SegmentHeader segment, long position, @Nullable SegmentHeader next)
      throws IOException, CorruptStreamException {
    try {
      FrameHeader frame = scan.header(file::read, position);
      checkPlace(frame, segment, position);
      scan.infos(file::read, frame, position);
      scan.notes(file::read, frame, position);
      if (position + frame.frameBytes() > file.size()) {
        throw new MalformedException("frame " + number + " is cut off");
      }
      epoch = frame.epoch();
      return frame;
    } catch (MalformedException e) {
      if (next != null || scan.isOfUnknownFormat()) {
        // Frames of a later segment were written after this one was durable.
        throw files.corrupt(segment.segment(), position, e);
      }
      return null;
    }
  }

  private void checkPlace(FrameHeader frame, SegmentHeader segment, long position)
      throws CorruptStreamException {
    try {
      FrameScan.checkFollows(frame, segment.nonce(), number, epoch);
    } catch (MalformedException e) {
      throw files.corrupt(segment.segment(), position, e);
    }
  }

  /// Decides what lies behind the last whole frame of the last segment.
  private Tail end(DiskFile file, SegmentHeader segment, long position, @Nullable Found last)
      throws IOException, CorruptStreamException {
    TailSearch search = new TailSearch(files.segment(segment.segment()), segment, number);
    boolean torn = search.run(file, position);
    if (last == null || torn) {
      // A frame is begun only when the one before it is durable.
      return new Tail(segment, position, number, null, epoch, torn);
    }
    if (!payloadIsWhole(file, last)) {
      number--;
      return new Tail(segment, last.position(), number, null, epoch, true);
    }
    return new Tail(segment, position, number, last, epoch, false);
  }

  private static boolean payloadIsWhole(DiskFile file, Found frame) throws IOException {
    try {
      FrameScan.checkPayloads(file::read, frame.header(), frame.position());
      return true;
    } catch (MalformedException _) {
      return false;
    }
  }

  /// Zeroes a torn tail, and writes the newest frame once more: after a failed force it may have
  /// been read from a page that the kernel calls clean although it never reached the disk.
  ///
  /// @return what was cut; null if the tail was not torn
  @Nullable TornTail repair(Tail tail) throws IOException {
    TornTail torn = null;
    String name = files.segment(tail.segment().segment());
    try (DiskFile file = files.disk().open(name)) {
      if (tail.torn()) {
        long bytes = TailSearch.zero(file, tail.position());
        torn = new TornTail(name, tail.position(), tail.number(), bytes);
      }
      Found last = tail.last();
      if (last != null) {
        ByteBuffer frame = ByteBuffer.allocate(last.header().frameBytes());
        file.read(last.position(), frame);
        file.write(last.position(), frame.flip());
      }
      file.force();
    }
    files.disk().forceDirectory(files.directory());
    return torn;
  }
}
