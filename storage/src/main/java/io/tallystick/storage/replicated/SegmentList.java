package io.tallystick.storage.replicated;

import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.SegmentHeader;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// The segments of a stream and its durable end, as one process knows them. A writer shares it with
/// the readers of its store. Thread-safe; one thread at a time changes it.
final class SegmentList {
  private final NavigableMap<Integer, ListedSegment> segments = new ConcurrentSkipListMap<>();
  private volatile End end = new End(StreamStore.START, 0);

  /// The durable end.
  ///
  /// @param bytes of frames in its segment
  record End(StreamPosition position, long bytes) {}

  End end() {
    return end;
  }

  StreamPosition durable() {
    return end.position;
  }

  void advance(End to) {
    end = to;
  }

  /// Adds segments first: a reader that sees the new end must find them.
  void follow(Collection<ListedSegment> listed, End to) {
    for (ListedSegment each : listed) {
      segments.put(each.number(), each);
    }
    end = to;
  }

  void replace(ListedSegment listed) {
    segments.replace(listed.number(), listed);
  }

  /// Forgets the segments below one.
  void dropBefore(int segment) {
    segments.headMap(segment).clear();
  }

  boolean isEmpty() {
    return segments.isEmpty();
  }

  int first() {
    return segments.firstKey();
  }

  ListedSegment last() {
    return segments.lastEntry().getValue();
  }

  @Nullable ListedSegment segment(int number) {
    return segments.get(number);
  }

  List<ListedSegment> listed() {
    return List.copyOf(segments.values());
  }

  /// How many entries of a segment are durable and of whole frames.
  long entries(ListedSegment segment) {
    StreamPosition durable = end.position;
    SegmentRecord.End closed = segment.record().end();
    if (closed != null) {
      return closed.entries();
    }
    if (FrameLocations.segment(durable.frame()) == segment.number()) {
      return FrameLocations.place(durable.frame());
    }
    // Closed since it was looked up, or listed before the end has moved there.
    ListedSegment now = segments.get(segment.number());
    SegmentRecord.End since = now == null ? null : now.record().end();
    return since == null ? 0 : since.entries();
  }

  /// The boundary as the next frame's reader must take it: if a later segment begins with that
  /// number, there.
  StreamPosition resolve(StreamPosition boundary) {
    StreamPosition at = boundary;
    ListedSegment next = segments.get(FrameLocations.segment(at.frame()) + 1);
    while (next != null && next.record().firstFrame() == at.number()) {
      at = start(next);
      next = segments.get(next.number() + 1);
    }
    return at;
  }

  static StreamPosition start(ListedSegment segment) {
    return new StreamPosition(
        FrameLocations.of(segment.number(), segment.record().firstPlace()),
        segment.record().firstFrame());
  }

  /// Bytes of frames from the start of the stream to its durable end.
  long writtenBytes() {
    return segments.isEmpty() ? 0 : last().record().bytesBefore() + end.bytes;
  }

  List<StreamReader.Segment> list() {
    End now = end; // before the segments: a roll may come between
    int open = FrameLocations.segment(now.position.frame());
    List<StreamReader.Segment> list = new ArrayList<>();
    for (ListedSegment each : segments.values()) {
      SegmentRecord record = each.record();
      SegmentRecord.End closed = record.end();
      long frames = closed != null ? closed.bytes() : each.number() == open ? now.bytes : 0;
      list.add(
          new StreamReader.Segment(
              each.number(), record.firstFrame(), SegmentHeader.BYTES + frames));
    }
    return list;
  }
}
