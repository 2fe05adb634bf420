package io.tallystick.storage.replicated;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.framing.FrameScan;
import io.tallystick.storage.replicated.EntryReader.LogEntry;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Puts another log in the place of a closed segment's: the same entries under the same numbers,
/// but for frames that are erased. One for each replacement.
final class SegmentReplacement {
  private final ReplicatedStreamWriter writer;
  private final SegmentLogs logs;
  private final ListedSegment segment;
  private final SegmentRecord.End end;

  /// By their places.
  private final NavigableMap<Long, ErasedFrame> erased = new TreeMap<>();

  SegmentReplacement(ReplicatedStreamWriter writer, SegmentLogs logs, ListedSegment segment) {
    this.writer = writer;
    this.logs = logs;
    this.segment = segment;
    SegmentRecord.End closed = segment.record().end();
    if (closed == null) {
      throw new IllegalArgumentException("segment " + segment.number() + " is not closed");
    }
    this.end = closed;
  }

  /// Names frames to be erased; those that are erased already need nothing.
  ///
  /// @return whether there is anything to do
  boolean erase(Collection<ErasedFrame> frames) throws IOException, CorruptStreamException {
    PieceSource source = logs.source(segment);
    FrameScan scan = new FrameScan();
    for (ErasedFrame frame : frames) {
      long entry = FrameLocations.place(frame.frame());
      try {
        if (!scan.header(source.at(entry, end.entries()), 0).equals(frame.header())) {
          erased.put(entry, frame);
        }
      } catch (MalformedException e) {
        throw logs.table().corrupt(segment.number(), entry, e);
      }
    }
    return !erased.isEmpty();
  }

  /// Of the segment.
  long bytes() {
    return end.bytes();
  }

  /// Copies, swaps and deletes the old log.
  ///
  /// @param copy an empty log
  /// @throws CorruptStreamException if a frame differs from what was planned in other bytes than
  ///   those that go; nothing is swapped then
  void run(OwnedStream.Made copy) throws IOException, CorruptStreamException {
    try {
      fill(copy.log());
      copy.log().close();
    } catch (CorruptStreamException e) {
      // No change that lists the copy was ever sent.
      writer.stream().deleteUnlisted(copy.log().log());
      throw e;
    }
    ListedSegment swapped = writer.stream().swap(segment, copy, copy.log().isThin());
    logs.list().replace(swapped);
    logs.retire(segment.record().log());
    writer.stream().delete(segment.record().log());
  }

  private void fill(LogWriter copy) throws IOException, CorruptStreamException {
    if (segment.record().isFile()) {
      fillFile(copy);
      return;
    }
    long entry = 0;
    while (entry < end.entries()) {
      ErasedFrame frame = erased.get(entry);
      PendingAdd newest;
      if (frame != null) {
        newest = add(copy, erase(frame, entry));
        entry += segment.record().places(frame.header().alignedBytes());
      } else {
        long last = lastUnchanged(entry);
        newest = add(copy, logs.read(segment.number(), entry, last));
        entry = last + 1;
      }
      if (newest.await() != entry - 1) {
        throw new AssertionError("entry " + (entry - 1) + " of a copy has another number");
      }
    }
  }

  /// Frames begin and end anywhere in the entries of a file.
  private void fillFile(LogWriter copy) throws IOException, CorruptStreamException {
    FileEdits edits = new FileEdits();
    long entries = segment.record().entriesBelow(end.entries());
    for (long first = 0; first < entries; first += PieceSource.ENTRIES) {
      long last = Math.min(first + PieceSource.ENTRIES, entries) - 1;
      PendingAdd newest = null;
      for (LogEntry each : logs.read(segment.number(), first, last)) {
        newest = copy.add(edits.applied(each));
      }
      if (present(newest).await() != last) {
        throw new AssertionError("entry " + last + " of a copy has another number");
      }
    }
  }

  /// Lays the frames that are erased over the entries of a file. For entries in ascending order.
  private final class FileEdits {
    private @Nullable ErasedFrame present;
    private ByteBuffer bytes = ByteBuffer.allocate(0);

    ByteBuffer applied(LogEntry entry) throws IOException, CorruptStreamException {
      ByteBuffer piece = ByteBuffer.allocate(entry.bytes().remaining());
      piece.put(entry.bytes().slice()).flip();
      long from = entry.number() * segment.record().pieceBytes();
      long to = from + piece.limit();
      Map.Entry<Long, ErasedFrame> before = erased.floorEntry(from);
      long first = before == null ? from : before.getKey();
      for (Map.Entry<Long, ErasedFrame> each : erased.subMap(first, to).entrySet()) {
        overlay(piece, from, each.getKey(), each.getValue());
      }
      return piece;
    }

    private void overlay(ByteBuffer piece, long from, long place, ErasedFrame frame)
        throws IOException, CorruptStreamException {
      long begin = Math.max(from, place);
      long behind = Math.min(from + piece.limit(), place + frame.header().alignedBytes());
      if (begin < behind) {
        if (!frame.equals(present)) {
          bytes = erase(frame, place);
          present = frame;
        }
        int count = (int) (behind - begin);
        piece.put((int) (begin - from), bytes, (int) (begin - place), count);
      }
    }
  }

  /// The last of the entries that are copied at once: none of a frame that is erased.
  private long lastUnchanged(long entry) {
    long last = Math.min(entry + PieceSource.ENTRIES, end.entries()) - 1;
    for (long each = entry + 1; each <= last; each++) {
      if (erased.containsKey(each)) {
        return each - 1;
      }
    }
    return last;
  }

  private static PendingAdd add(LogWriter copy, List<LogEntry> entries) throws IOException {
    PendingAdd newest = null;
    for (LogEntry each : entries) {
      newest = copy.add(each.bytes().slice());
    }
    return present(newest);
  }

  private PendingAdd add(LogWriter copy, ByteBuffer frame) throws IOException {
    PendingAdd newest = null;
    int piece = segment.record().pieceBytes();
    for (int from = 0; from < frame.limit(); from += piece) {
      newest = copy.add(frame.slice(from, Math.min(piece, frame.limit() - from)));
    }
    return present(newest);
  }

  private static PendingAdd present(@Nullable PendingAdd newest) {
    if (newest == null) {
      throw new AssertionError("nothing was copied");
    }
    return newest;
  }

  /// The bytes of a frame as it will be.
  private ByteBuffer erase(ErasedFrame frame, long place)
      throws IOException, CorruptStreamException {
    FrameHeader header = frame.header();
    ByteBuffer bytes = ByteBuffer.allocate(header.alignedBytes());
    int read = logs.source(segment).at(place, end.entries()).read(0, bytes);
    for (FrameEdits.Range zeros : frame.edits().zeros()) {
      bytes.put(zeros.offset(), new byte[zeros.bytes()]);
    }
    for (FrameEdits.Mark mark : frame.edits().marks()) {
      bytes.put(mark.offset(), mark.value());
    }
    bytes.put(0, header.encode(), 0, FrameHeader.BYTES);
    try {
      if (read < header.alignedBytes()) {
        throw new MalformedException(
            String.format(Locale.ROOT, "%d bytes, want %d", read, header.alignedBytes()));
      }
      FrameScan.checkPlace(header, segment.record().frames(), header.number());
      header.checkInfos(bytes.slice(FrameHeader.BYTES, header.infoBytes()));
      header.checkPayloads(bytes.slice(header.payloadOffset(), header.payloadBytes()));
      header.checkNotes(bytes.slice(header.notesOffset(), header.notesBytes()));
      return bytes.clear();
    } catch (MalformedException e) {
      throw logs.table().corrupt(segment.number(), place, e);
    }
  }
}
