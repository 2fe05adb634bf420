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

  ConfirmedEnd(SegmentLogs segments, OpenLogs logs) {
    this.table = segments.table();
    this.list = segments.list();
    this.logs = logs;
  }

  /// Goes on to the segments and the end as they are now.
  synchronized void advance() throws IOException, CorruptStreamException {
    int from = list.isEmpty() ? 0 : list.last().number();
    List<ListedSegment> ahead = table.read(from);
    if (ahead.isEmpty()) {
      if (!list.isEmpty()) {
        throw new CorruptStreamException(table.name(from), 0, "the segment is missing");
      }
      return;
    }
    for (ListedSegment each : ahead) {
      forgetOther(each);
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
    dropBefore(table.numbers().getFirst());
  }

  private void dropBefore(int first) {
    for (ListedSegment each : list.listed()) {
      if (each.number() < first) {
        logs.forget(each.record().log());
      }
    }
    list.dropBefore(Math.min(first, list.last().number()));
  }

  /// Closes the reader of the log that a segment had before.
  private void forgetOther(ListedSegment now) {
    ListedSegment known = list.segment(now.number());
    if (known != null && known.record().log() != now.record().log()) {
      logs.forget(known.record().log());
    }
  }

  private static SegmentList.End start(ListedSegment segment) {
    return new SegmentList.End(SegmentList.start(segment), 0);
  }

  /// Walks the last segment from an end that was found before. A log that is gone was replaced: the
  /// segment is looked up once more.
  private FrameWalk walk(ListedSegment last, SegmentList.End known)
      throws IOException, CorruptStreamException {
    try {
      return walkOnce(last, known);
    } catch (NoSuchLogException e) {
      logs.forget(last.record().log());
      Optional<ListedSegment> now = table.one(last.number());
      if (now.isEmpty() || now.get().record().log() == last.record().log()) {
        throw unreadable(last, e);
      }
      try {
        return walkOnce(now.get(), known);
      } catch (IOException second) {
        throw unreadable(last, second);
      }
    } catch (IOException e) {
      throw unreadable(last, e);
    }
  }

  private StreamUnavailableException unreadable(ListedSegment segment, IOException cause) {
    return new StreamUnavailableException(table.name(segment.number()) + " cannot be read", cause);
  }

  private FrameWalk walkOnce(ListedSegment last, SegmentList.End known)
      throws IOException, CorruptStreamException {
    StreamPosition at = known.position();
    long log = last.record().log();
    FrameWalk walk =
        new FrameWalk(
            (first, end) -> logs.read(log, first, end),
            last.record(),
            FrameLocations.place(at.frame()),
            at.number(),
            known.bytes(),
            -1);
    SegmentRecord.End closed = last.record().end();
    long limit = closed == null ? confirmed(log) : closed.entries();
    try {
      while (walk.next(limit) != null) {}
      return walk;
    } catch (MalformedException e) {
      throw table.corrupt(last.number(), walk.entry(), e);
    }
  }

  /// How many entries of a log are known to be confirmed now.
  private long confirmed(long log) throws IOException {
    return logs.use(
        log,
        reader -> {
          reader.refresh();
          return reader.lastConfirmed() + 1;
        });
  }
}
