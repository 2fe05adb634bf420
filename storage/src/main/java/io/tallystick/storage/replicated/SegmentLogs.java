package io.tallystick.storage.replicated;

import io.tallystick.storage.replicated.EntryReader.LogEntry;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Entries of a stream's segments, wherever they are kept at the moment: a log that was replaced
/// and deleted is looked up once more. Thread-safe.
final class SegmentLogs {
  private final SegmentTable table;
  private final SegmentList list;
  private final OpenLogs logs;

  SegmentLogs(SegmentTable table, SegmentList list, OpenLogs logs) {
    this.table = table;
    this.list = list;
    this.logs = logs;
  }

  SegmentTable table() {
    return table;
  }

  SegmentList list() {
    return list;
  }

  /// @throws SegmentGoneException if there is no such segment
  ListedSegment segment(int number) throws SegmentGoneException {
    ListedSegment segment = list.segment(number);
    if (segment == null) {
      throw new SegmentGoneException("there is no such segment");
    }
    return segment;
  }

  /// How many of its entries may be read.
  long limit(int number) throws SegmentGoneException {
    return list.entries(segment(number));
  }

  /// Entries below {@link #limit}.
  ///
  /// @throws SegmentGoneException if there is no such segment, or not any more
  List<LogEntry> read(int number, long first, long last) throws IOException {
    ListedSegment segment = segment(number);
    try {
      return logs.read(segment.record().log(), first, last);
    } catch (IOException e) {
      ListedSegment now = again(segment, e);
      try {
        return logs.read(now.record().log(), first, last);
      } catch (IOException second) {
        second.addSuppressed(e);
        throw new StreamUnavailableException(table.name(number) + " cannot be read", second);
      }
    }
  }

  /// The segment with another log than the one that could not be read.
  private ListedSegment again(ListedSegment failed, IOException cause) throws IOException {
    ListedSegment known = segment(failed.number());
    if (known.record().log() != failed.record().log()) {
      return known;
    }
    // With a machine down, a log that was deleted looks as one that cannot be read.
    Optional<ListedSegment> listed;
    try {
      listed = table.one(failed.number());
    } catch (CorruptStreamException e) {
      throw new IOException(e);
    }
    if (listed.isEmpty()) {
      logs.forget(failed.record().log());
      throw new SegmentGoneException("there is no such segment any more");
    }
    if (listed.get().record().log() == failed.record().log()) {
      throw new StreamUnavailableException(table.name(failed.number()) + " cannot be read", cause);
    }
    logs.forget(failed.record().log());
    list.replace(listed.get());
    return listed.get();
  }

  /// Closes the reader of a log that is in no list any more.
  void retire(long log) {
    logs.forget(log);
  }

  /// A source of the frames of a segment.
  PieceSource source(ListedSegment segment) {
    return new PieceSource((first, last) -> read(segment.number(), first, last), segment.record());
  }
}
