package io.tallystick.storage.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/// Reads a stream below its durable end. Thread-safe.
public interface StreamReader extends AutoCloseable {
  /// Fills `into` from `at`; the range must lie inside one frame. Checks no checksum: the caller
  /// knows what the bytes are.
  ///
  /// @throws CorruptStreamException if the segment ends before `into` is full
  void read(Location at, ByteBuffer into) throws IOException, CorruptStreamException;

  /// Frames from the boundary `from` on, with header and info checksum verified; payload sections
  /// are not read.
  FrameCursor tail(StreamPosition from) throws IOException;

  /// Bytes that a caller has found damaged, with their file.
  CorruptStreamException damaged(Location at, String detail);

  List<Segment> segments() throws IOException;

  /// Goes on to the durable end as it is now, and forgets the segments that were dropped. Does
  /// nothing for a reader that follows a writer of its store.
  ///
  /// @throws CorruptStreamException if the last segment is damaged
  void refresh() throws IOException, CorruptStreamException;

  /// Hands a whole segment over as it is stored, so that a copy has the same bytes at the same
  /// places. Nothing may be erased meanwhile.
  ///
  /// @param segment as {@link #segments} listed it; what was appended to it since is left out
  /// @param unfinished locations of frames whose erasing may have been cut short: their sections
  ///   need not fit their headers
  /// @return the number of the frame that comes next
  /// @throws CorruptStreamException if a header, an info or a notes section is damaged
  long copy(Segment segment, Set<Long> unfinished, SegmentSink sink)
      throws IOException, CorruptStreamException;

  @Override
  void close() throws IOException;

  /// One file (or BookKeeper ledger) of the stream.
  record Segment(int number, long firstFrame, long bytes) {}
}
