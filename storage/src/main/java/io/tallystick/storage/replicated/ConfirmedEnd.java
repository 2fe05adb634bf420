package io.tallystick.storage.replicated;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Finds how far a stream goes for a reader without a writer: to the last whole frame all of whose
/// entries are confirmed. Disturbs no writer.
final class ConfirmedEnd {
  private final SegmentTable table;
  private final SegmentList list;
  private final OpenLogs logs;

  ConfirmedEnd(SegmentTable table, SegmentList list, OpenLogs logs) {
    this.table = table;
    this.list = list;
    this.logs = logs;
  }

  /// Goes on to the segments and the end as they are now.
  void advance() throws IOException, CorruptStreamException {
    List<Integer> numbers = table.numbers();
    int from = list.isEmpty() ? 0 : list.last().number();
    List<ListedSegment> ahead = table.read(from);
    if (ahead.isEmpty()) {
      if (!list.isEmpty()) {
        throw new CorruptStreamException(table.name(from), 0, "the segment is missing");
      }
      return;
    }
    ListedSegment last = ahead.getLast();
    StreamPosition known = list.durable();
    boolean isKnown = !list.isEmpty() && FrameLocations.segment(known.frame()) == last.number();
    FrameWalk walk = walk(last, isKnown ? list.end() : start(last));
    list.follow(
        ahead,
        new SegmentList.End(
            new StreamPosition(FrameLocations.of(last.number(), walk.entry()), walk.number()),
            walk.bytes()));
    if (!numbers.isEmpty()) {
      list.dropBefore(Math.min(numbers.getFirst(), last.number()));
    }
  }

  private static SegmentList.End start(ListedSegment segment) {
    return new SegmentList.End(SegmentList.start(segment), 0);
  }

  /// Walks the last segment from an end that was found before.
  private FrameWalk walk(ListedSegment last, SegmentList.End known)
      throws IOException, CorruptStreamException {
    StreamPosition at = known.position();
    LogReader log = newest(last);
    FrameWalk walk =
        new FrameWalk(
            log::read,
            last.record(),
            FrameLocations.place(at.frame()),
            at.number(),
            known.bytes(),
            -1);
    SegmentRecord.End closed = last.record().end();
    long limit = closed == null ? log.lastConfirmed() + 1 : closed.entries();
    try {
      while (walk.next(limit) != null) {}
      return walk;
    } catch (MalformedException e) {
      throw table.corrupt(last.number(), walk.entry(), e);
    } catch (IOException e) {
      throw new StreamUnavailableException(table.name(last.number()) + " cannot be read", e);
    }
  }

  /// A reader of the segment's log that has just looked. A log that is gone was replaced: the
  /// segment is looked up once more.
  private LogReader newest(ListedSegment segment) throws IOException, CorruptStreamException {
    try {
      return look(segment.record().log());
    } catch (NoSuchLogException e) {
      logs.forget(segment.record().log());
      Optional<ListedSegment> now = table.one(segment.number());
      if (now.isEmpty() || now.get().record().log() == segment.record().log()) {
        throw new StreamUnavailableException(table.name(segment.number()) + " cannot be read", e);
      }
      return unavailable(segment, () -> look(now.get().record().log()));
    } catch (IOException e) {
      throw new StreamUnavailableException(table.name(segment.number()) + " cannot be read", e);
    }
  }

  private interface Look {
    LogReader look() throws IOException;
  }

  private LogReader unavailable(ListedSegment segment, Look look) throws IOException {
    try {
      return look.look();
    } catch (IOException e) {
      throw new StreamUnavailableException(table.name(segment.number()) + " cannot be read", e);
    }
  }

  private LogReader look(long log) throws IOException {
    LogReader reader = logs.reader(log);
    reader.refresh();
    return reader;
  }
}
