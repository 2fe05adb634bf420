package io.tallystick.storage.replicated;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads the list of a stream's segments as it stands in {@link Coordination}.
final class SegmentTable {
  private static final int LOOKS = 5;

  private final Coordination coordination;
  private final ClusterPaths paths;
  private final StreamId id;

  SegmentTable(Coordination coordination, ClusterPaths paths, StreamId id) {
    this.coordination = coordination;
    this.paths = paths;
    this.id = id;
  }

  StreamId id() {
    return id;
  }

  /// Name of a segment for messages.
  String name(int segment) {
    return paths.segment(id, segment);
  }

  /// The segments that there are, from a number on.
  ///
  /// @throws CorruptStreamException if one is missing among them or cannot be understood
  /// @throws StreamUnavailableException if segments are dropped each time that this looks
  List<ListedSegment> read(int from) throws IOException, CorruptStreamException {
    for (int look = 0; look < LOOKS; look++) {
      List<ListedSegment> listed = new ArrayList<>();
      if (readOnce(from, listed)) {
        return listed;
      }
    }
    throw new StreamUnavailableException("the list of segments changes all the time");
  }

  /// @return false if a segment was dropped between looking at the list and looking at the segment,
  ///   though one before it was still there
  private boolean readOnce(int from, List<ListedSegment> listed)
      throws IOException, CorruptStreamException {
    for (int number : numbers()) {
      Optional<ListedSegment> segment = number < from ? Optional.empty() : one(number);
      if (segment.isPresent()) {
        checkFollows(listed, segment.get());
        listed.add(segment.get());
      } else if (!listed.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /// Numbers of the segments that there are, in ascending order.
  List<Integer> numbers() throws IOException, CorruptStreamException {
    List<Integer> numbers = new ArrayList<>();
    for (String name : children()) {
      try {
        numbers.add(Integer.parseUnsignedInt(name, 16));
      } catch (NumberFormatException e) {
        throw new CorruptStreamException(paths.segments(id), 0, "no segment: " + name, e);
      }
    }
    return numbers;
  }

  private List<String> children() throws StreamUnavailableException {
    try {
      return coordination.children(paths.segments(id));
    } catch (IOException e) {
      throw new StreamUnavailableException("the list of segments cannot be read", e);
    }
  }

  private void checkFollows(List<ListedSegment> listed, ListedSegment next)
      throws CorruptStreamException {
    if (listed.isEmpty()) {
      return;
    }
    ListedSegment before = listed.getLast();
    SegmentRecord.End end = before.record().end();
    if (before.number() + 1 != next.number()
        || end == null
        || end.nextFrame() != next.record().firstFrame()
        || before.record().bytesBefore() + end.bytes() != next.record().bytesBefore()) {
      throw new CorruptStreamException(
          name(next.number()), 0, "does not follow segment " + before.number());
    }
  }

  /// A segment; empty if it is not listed.
  Optional<ListedSegment> one(int number) throws IOException, CorruptStreamException {
    Optional<Versioned> there;
    try {
      there = coordination.read(name(number));
    } catch (IOException e) {
      throw new StreamUnavailableException("segment " + number + " cannot be looked up", e);
    }
    if (there.isEmpty()) {
      return Optional.empty();
    }
    try {
      SegmentRecord record = SegmentRecord.decode(there.get().value());
      return Optional.of(new ListedSegment(number, record, there.get().version()));
    } catch (MalformedException e) {
      throw corrupt(number, 0, e);
    }
  }

  /// Damage at an entry of a segment.
  CorruptStreamException corrupt(int segment, long entry, Exception cause) {
    return new CorruptStreamException(
        name(segment), entry, String.valueOf(cause.getMessage()), cause);
  }
}
