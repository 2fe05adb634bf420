package io.tallystick.storage.replicated;

import io.tallystick.storage.framing.FrameScan;
import io.tallystick.storage.replicated.EntryReader.LogEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// The bytes of one frame after the other, put together from the entries of a log. Position 0 is
/// the first byte of the frame that it stands on. Fetches some entries at once. Not thread-safe.
final class PieceSource implements FrameScan.Source {
  /// Entries fetched at once.
  static final int ENTRIES = 16;

  /// Where entries come from.
  @FunctionalInterface
  interface Entries {
    /// The entries from `first` to `last`, both included.
    List<LogEntry> read(long first, long last) throws IOException;
  }

  private final Entries entries;
  private final SegmentRecord segment;
  private List<LogEntry> fetched = List.of();
  private long first; // a place
  private long limit; // a place

  PieceSource(Entries entries, SegmentRecord segment) {
    this.entries = entries;
    this.segment = segment;
  }

  /// Goes to a frame.
  ///
  /// @param place where it is
  /// @param placeLimit what lies from this place on is not read
  PieceSource at(long place, long placeLimit) {
    first = place;
    limit = placeLimit;
    return this;
  }

  @Override
  public int read(long position, ByteBuffer into) throws IOException {
    int read = 0;
    while (into.hasRemaining()) {
      long entry = segment.entryOf(first, position + read);
      int offset = segment.offsetInEntry(first, position + read);
      if (entry >= segment.entriesBelow(limit)) {
        break;
      }
      ByteBuffer piece = entry(entry).bytes();
      int count = Math.min(piece.remaining() - offset, into.remaining());
      if (count <= 0) {
        break;
      }
      into.put(piece.slice(piece.position() + offset, count));
      read += count;
      if (offset + count < segment.pieceBytes()) {
        break; // nothing follows a short entry
      }
    }
    return read;
  }

  private LogEntry entry(long entry) throws IOException {
    if (fetched.isEmpty()
        || entry < fetched.getFirst().number()
        || entry > fetched.getLast().number()) {
      fetched = entries.read(entry, Math.min(segment.entriesBelow(limit), entry + ENTRIES) - 1);
    }
    return fetched.get((int) (entry - fetched.getFirst().number()));
  }
}
