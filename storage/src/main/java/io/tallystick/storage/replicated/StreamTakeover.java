package io.tallystick.storage.replicated;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.replicated.EntryReader.LogEntry;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamUnavailableException;
import io.tallystick.storage.stream.TornTail;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Takes over writing under a claim: fences the last segment, finds where the stream ends and
/// begins a new segment there. One for each takeover.
final class StreamTakeover {
  private final OwnedStream stream;
  private final SegmentTable table;
  private final ReplicatedLogs logs;
  private final OpenLogs open;
  private final ShardClaims claims;
  private final ShardClaim claim;

  private long epoch = -1;

  StreamTakeover(
      OwnedStream stream,
      SegmentTable table,
      ReplicatedLogs logs,
      OpenLogs open,
      ShardClaims claims,
      ShardClaim claim) {
    this.stream = stream;
    this.table = table;
    this.logs = logs;
    this.open = open;
    this.claims = claims;
    this.claim = claim;
  }

  /// What a new writer begins with.
  ///
  /// @param list with the new segment as its last
  record Taken(SegmentList list, LogWriter log, @Nullable TornTail cut) {}

  /// @param from as {@link StreamStore#openWriter} has it
  Taken run(StreamPosition from) throws IOException, CorruptStreamException {
    List<ListedSegment> segments = table.read(0);
    if (!segments.isEmpty() && segments.getLast().record().epoch() >= claim.epoch()) {
      throw fenced(segments.getLast().record().epoch());
    }
    requireOwner();
    if (segments.isEmpty()) {
      return first(from);
    }
    EntryReader recovered = recover(segments.getLast());
    // Not before: where too few machines are there, no other reader of an open log can be had.
    open.forget(segments.getLast().record().log());
    try {
      return after(segments, from, recovered);
    } finally {
      OpenLogs.close(recovered);
    }
  }

  /// @param recovered the log of the last segment, which is closed now
  private Taken after(List<ListedSegment> segments, StreamPosition from, EntryReader recovered)
      throws IOException, CorruptStreamException {
    ListedSegment last = segments.getLast();
    FrameWalk end = scan(segments, from, recovered);
    if (epoch >= claim.epoch()) {
      throw fenced(epoch);
    }
    SegmentRecord.End closed = new SegmentRecord.End(end.entry(), end.bytes(), end.number());
    TornTail cut = cut(last, recovered, closed);
    // Nobody knows which machines were down while the owner before wrote it.
    boolean thin = closed.entries() > 0 || !stream.hasAllMachines();
    OwnedStream.Begun begun = stream.beginAfter(last, closed, thin);
    SegmentList list = new SegmentList();
    list.follow(segments, list.end());
    list.follow(
        List.of(begun.closed(), begun.segment()),
        new SegmentList.End(SegmentList.start(begun.segment()), 0));
    return new Taken(list, begun.log(), cut);
  }

  private Taken first(StreamPosition from) throws IOException, CorruptStreamException {
    if (!from.equals(StreamStore.START)) {
      throw new CorruptStreamException(
          table.name(FrameLocations.segment(from.frame())), 0, "the segment is missing");
    }
    OwnedStream.Begun begun = stream.beginFirst();
    SegmentList list = new SegmentList();
    list.follow(
        List.of(begun.segment()), new SegmentList.End(SegmentList.start(begun.segment()), 0));
    return new Taken(list, begun.log(), null);
  }

  /// A server that is not the owner any more must fence nobody.
  private void requireOwner() throws IOException, CorruptStreamException {
    ShardClaims.Seen now;
    try {
      now = claims.owner(claim.shard()).orElse(null);
    } catch (IOException e) {
      throw new StreamUnavailableException("the owner cannot be read", e);
    }
    if (now == null || now.version() != claim.version()) {
      throw fenced(now == null ? -1 : now.owner().epoch());
    }
  }

  private StreamFencedException fenced(long by) {
    return new StreamFencedException(
        String.format(
            Locale.ROOT,
            "shard %d: epoch %d is fenced by epoch %d",
            claim.shard().shard(),
            claim.epoch(),
            by));
  }

  /// After this no entry is confirmed to the writer before.
  private EntryReader recover(ListedSegment last) throws IOException {
    try {
      return logs.recover(last.record().log());
    } catch (IOException e) {
      throw new StreamUnavailableException(table.name(last.number()) + " could not be fenced", e);
    }
  }

  /// Goes over all frames from a boundary on.
  ///
  /// @return what stands behind the last one
  private FrameWalk scan(List<ListedSegment> segments, StreamPosition from, EntryReader recovered)
      throws IOException, CorruptStreamException {
    int first = segments.getFirst().number();
    int number = FrameLocations.segment(from.frame());
    if (number < first || number > segments.getLast().number()) {
      throw new CorruptStreamException(table.name(number), 0, "the segment is missing");
    }
    ListedSegment segment = segments.get(number - first);
    long place = segment.record().placeOf(from.frame());
    FrameWalk walk = walk(segment, recovered, place, from.number(), segments);
    while (number < segments.getLast().number()) {
      number++;
      segment = segments.get(number - first);
      walk = walk(segment, recovered, segment.record().firstPlace(), walk.number(), segments);
    }
    return walk;
  }

  private FrameWalk walk(
      ListedSegment segment,
      EntryReader recovered,
      long place,
      long number,
      List<ListedSegment> segments)
      throws IOException, CorruptStreamException {
    boolean last = segment.number() == segments.getLast().number();
    SegmentRecord record = segment.record();
    SegmentRecord.End end = record.end();
    try {
      PieceSource.Entries log =
          last ? recovered::read : (first, to) -> open.read(record.log(), first, to);
      long limit = end != null ? end.entries() : recovered.lastConfirmed() + 1;
      if (place > limit || (place == record.firstPlace() && number != record.firstFrame())) {
        throw new MalformedException("no boundary before frame " + number);
      }
      FrameWalk walk =
          new FrameWalk(log, record, place, number, bytesBefore(log, record, place), epoch);
      FrameHeader frame;
      while ((frame = walk.next(limit)) != null) {
        walk.check(frame);
        epoch = frame.epoch();
      }
      if (end != null && (walk.entry() != end.entries() || walk.number() != end.nextFrame())) {
        throw new MalformedException("frames are missing before frame " + end.nextFrame());
      }
      return walk;
    } catch (MalformedException e) {
      throw table.corrupt(segment.number(), place, e);
    } catch (IOException e) {
      throw new StreamUnavailableException(table.name(segment.number()) + " cannot be read", e);
    }
  }

  private static long bytesBefore(PieceSource.Entries log, SegmentRecord record, long place)
      throws IOException {
    if (place == record.firstPlace()) {
      return 0;
    }
    return record.isFile() ? place - record.firstPlace() : lengthThrough(log, place - 1);
  }

  private static long lengthThrough(PieceSource.Entries log, long entry) throws IOException {
    List<LogEntry> read = log.read(entry, entry);
    return read.getFirst().lengthAfter();
  }

  /// What stands behind the last whole frame.
  private @Nullable TornTail cut(ListedSegment last, EntryReader log, SegmentRecord.End end)
      throws IOException {
    if (last.record().end() != null || log.lastConfirmed() < end.entries()) {
      return null; // of a stream that was put here as a whole, or nothing is there
    }
    try {
      long bytes = lengthThrough(log::read, log.lastConfirmed()) - end.bytes();
      return new TornTail(table.name(last.number()), end.bytes(), end.nextFrame(), bytes);
    } catch (IOException e) {
      throw new StreamUnavailableException(table.name(last.number()) + " cannot be read", e);
    }
  }
}
