package io.tallystick.storage.stream;

import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.util.NavigableMap;
import java.util.TreeMap;

/// Finds the durable end of a stream for a reader without a writer. Writes nothing. Source:
/// `docs/formats/frame.md`, "Reading without a writer".
final class DurableEnd {
  /// Scans before damage is believed. A writer in another process may append during a scan, and its
  /// newer frame then stands behind a place that was empty a moment ago.
  private static final int SCANS_MAX = 3;

  private DurableEnd() {}

  /// The segments and the end as they are now. Only the last segment is scanned: a segment is begun
  /// when all before it is durable.
  static StreamState find(StreamFiles files) throws IOException, CorruptStreamException {
    for (int scan = 1; ; scan++) {
      try {
        return scan(files);
      } catch (CorruptStreamException e) {
        if (scan == SCANS_MAX) {
          throw e;
        }
      }
    }
  }

  private static StreamState scan(StreamFiles files) throws IOException, CorruptStreamException {
    NavigableMap<Integer, SegmentHeader> segments = files.readHeaders();
    if (segments.isEmpty()) {
      return new StreamState(new TreeMap<>(), StreamStore.START);
    }
    SegmentHeader last = segments.lastEntry().getValue();
    StreamRecovery.Tail tail = new StreamRecovery(files, segments).scan(StreamState.start(last));
    if (tail.last() != null) {
      // The newest frame may be in the page cache only.
      try (DiskFile file = files.disk().open(files.segment(last.segment()))) {
        file.force();
      }
    }
    return new StreamState(segments, tail.end());
  }
}
