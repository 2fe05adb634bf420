package io.tallystick.storage.stream;

import java.io.IOException;

/// Segmented append-only streams of frames. Source: LedgerDB section 3.1; `docs/formats/frame.md`.
public interface StreamStore extends AutoCloseable {
  /// Takes over writing. Scans from `from` to find the durable end: a bad last frame is a torn tail
  /// and is cut; a valid frame with a higher number after a bad one is corruption.
  ///
  /// @param epoch must exceed every epoch the stream was written with; lower ones are fenced
  /// @param from a frame boundary known to be durable (the savepoint's), or {@link #START}
  /// @throws CorruptStreamException if the durable part is damaged
  StreamWriter openWriter(StreamId id, long epoch, StreamPosition from)
      throws IOException, CorruptStreamException;

  /// The highest epoch that ever opened the stream for writing; -1 if none did.
  long epochOf(StreamId id) throws IOException, CorruptStreamException;

  /// For reads below the durable end. If this store opened a writer of the stream, the reader
  /// follows that writer. Otherwise the reader finds the durable end itself, when it is opened and
  /// whenever it is {@linkplain StreamReader#refresh refreshed}: the writer may be closed or in
  /// another process. A stream that was never written is empty.
  ///
  /// @throws CorruptStreamException if the last segment is damaged
  StreamReader openReader(StreamId id) throws IOException, CorruptStreamException;

  /// For a stream of which this store has opened a writer.
  ///
  /// @throws IllegalStateException if it has not
  StreamEraser openEraser(StreamId id);

  /// Before the first frame of any stream.
  StreamPosition START = new StreamPosition(0, 0);

  @Override
  void close() throws IOException;
}
