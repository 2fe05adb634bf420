package io.tallystick.storage.replicated;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.SegmentSink;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// Reads a replicated stream: below the end that a writer of the same store has reached, or as far
/// as another's entries are known to be confirmed.
final class ReplicatedStreamReader implements StreamReader {
  private final SegmentLogs logs;
  private final ConfirmedEnd confirmed;
  private final BooleanSupplier isWritten;

  /// @param isWritten whether a writer of this store moves the list
  ReplicatedStreamReader(SegmentLogs logs, ConfirmedEnd confirmed, BooleanSupplier isWritten) {
    this.logs = logs;
    this.confirmed = confirmed;
    this.isWritten = isWritten;
  }

  @Override
  public void read(Location at, ByteBuffer into) throws IOException, CorruptStreamException {
    int number = FrameLocations.segment(at.frame());
    long entry = FrameLocations.place(at.frame());
    int wanted = into.remaining();
    try {
      ListedSegment segment = logs.segment(number);
      int count =
          new PieceSource(
                  (first, last) -> logs.read(number, first, lastOf(segment, at, wanted, last)),
                  segment.record())
              .at(entry, logs.limit(number))
              .read(at.offset(), into);
      if (count < wanted) {
        throw damaged(at, String.format(Locale.ROOT, "%d bytes, want %d", count, wanted));
      }
    } catch (SegmentGoneException e) {
      throw logs.table().corrupt(number, entry, e);
    }
  }

  /// Not further than what is asked for.
  private static long lastOf(ListedSegment segment, Location at, int wanted, long last) {
    long end = at.offset() + Math.max(wanted, 1) - 1L;
    return Math.min(last, segment.record().entryOf(FrameLocations.place(at.frame()), end));
  }

  /// A reader whose writer is dead or closed goes on by itself: others may write now.
  @Override
  public void refresh() throws IOException, CorruptStreamException {
    if (!isWritten.getAsBoolean()) {
      confirmed.advance();
    }
  }

  @Override
  public CorruptStreamException damaged(Location at, String detail) {
    return new CorruptStreamException(
        String.format(
            Locale.ROOT,
            "%s frame at entry %d",
            logs.table().name(FrameLocations.segment(at.frame())),
            FrameLocations.place(at.frame())),
        at.offset(),
        detail);
  }

  @Override
  public FrameCursor tail(StreamPosition from) {
    return new ReplicatedFrameCursor(logs, from);
  }

  @Override
  public List<Segment> segments() {
    return logs.list().list();
  }

  @Override
  public long copy(Segment segment, Set<Long> unfinished, SegmentSink sink)
      throws IOException, CorruptStreamException {
    ReplicatedCopy copy = new ReplicatedCopy(logs, segment);
    try {
      return copy.read(unfinished, sink);
    } catch (SegmentGoneException | MalformedException e) {
      throw logs.table().corrupt(segment.number(), copy.entry(), e);
    }
  }

  /// Open logs belong to the store.
  @Override
  public void close() {}
}
