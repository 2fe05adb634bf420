package io.tallystick.storage.stream;

import io.tallystick.storage.framing.FrameLocations;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// The state that the writer of a stream shares with its readers: the segments and the durable end.
final class StreamState {
  private final NavigableMap<Integer, SegmentHeader> segments;
  private volatile StreamPosition durable;

  StreamState(SortedMap<Integer, SegmentHeader> segments, StreamPosition durable) {
    this.segments = new ConcurrentSkipListMap<>(segments);
    this.durable = durable;
  }

  /// The boundary up to which everything survives a crash.
  StreamPosition durable() {
    return durable;
  }

  void advance(StreamPosition end) {
    durable = end;
  }

  /// Adds the segment first: a reader that sees the new end must find it.
  void startSegment(SegmentHeader header) {
    segments.put(header.segment(), header);
    advance(start(header));
  }

  boolean isEmpty() {
    return segments.isEmpty();
  }

  /// Takes over what a writer elsewhere has done.
  ///
  /// @param first the lowest segment that is not dropped
  /// @param newest the last segment known here and those behind it
  void follow(int first, SortedMap<Integer, SegmentHeader> newest, StreamPosition end) {
    segments.putAll(newest);
    advance(end);
    segments.headMap(first).clear();
  }

  int firstSegment() {
    return segments.firstKey();
  }

  /// Forgets the first segment, whose file is deleted.
  void drop(int segment) {
    segments.remove(segment);
  }

  @Nullable SegmentHeader segment(int segment) {
    return segments.get(segment);
  }

  /// The boundary as the next frame's reader must take it: if a later segment begins with that
  /// number, there.
  StreamPosition resolve(StreamPosition boundary) {
    SegmentHeader next = segments.get(FrameLocations.segment(boundary.frame()) + 1);
    return next != null && next.firstFrame() == boundary.number()
        ? resolve(start(next))
        : new StreamPosition(
            FrameLocations.of(
                FrameLocations.segment(boundary.frame()), StreamFiles.position(boundary.frame())),
            boundary.number());
  }

  long writtenBytes() {
    return endOf(segments.lastEntry().getValue(), durable);
  }

  List<StreamReader.Segment> list() {
    List<StreamReader.Segment> list = new ArrayList<>();
    StreamPosition end = durable; // before the segments: a roll may come between
    for (SegmentHeader header : segments.values()) {
      long bytes = SegmentHeader.BYTES + endOf(header, end) - header.bytesBefore();
      list.add(new StreamReader.Segment(header.segment(), header.firstFrame(), bytes));
    }
    return list;
  }

  static StreamPosition start(SegmentHeader header) {
    return new StreamPosition(
        FrameLocations.of(header.segment(), SegmentHeader.BYTES), header.firstFrame());
  }

  /// Bytes of frames from the start of the stream to the end of this segment.
  private long endOf(SegmentHeader header, StreamPosition durableEnd) {
    SegmentHeader next = segments.get(header.segment() + 1);
    if (next != null) {
      return next.bytesBefore();
    }
    long end = durableEnd.frame();
    return FrameLocations.segment(end) == header.segment()
        ? header.bytesBefore() + StreamFiles.position(end) - SegmentHeader.BYTES
        : header.bytesBefore();
  }
}
