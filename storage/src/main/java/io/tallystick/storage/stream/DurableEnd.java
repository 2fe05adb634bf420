package io.tallystick.storage.stream;

import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.framing.FrameLocations;
import java.io.IOException;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;

/// Finds the durable end of a stream for a reader without a writer. Writes nothing. Source:
/// `docs/formats/frame.md`, "Reading without a writer".
final class DurableEnd {
  /// Scans before damage is believed. A writer in another process may append during a scan, and its
  /// newer frame then stands behind a place that was empty a moment ago.
  private static final int SCANS_MAX = 3;

  private DurableEnd() {}

  /// The segments and the end as they are now.
  static StreamState find(StreamFiles files) throws IOException, CorruptStreamException {
    StreamState state = new StreamState(new TreeMap<>(), StreamStore.START);
    advance(files, state);
    return state;
  }

  /// Moves a state that was found before on to the segments and the end as they are now.
  static void advance(StreamFiles files, StreamState state)
      throws IOException, CorruptStreamException {
    for (int scan = 1; ; scan++) {
      try {
        scan(files, state);
        return;
      } catch (CorruptStreamException e) {
        if (scan == SCANS_MAX) {
          throw e;
        }
      }
    }
  }

  /// Only the last segment is scanned, from the end that was found before if that lies there: a
  /// segment is begun when all before it is durable.
  private static void scan(StreamFiles files, StreamState state)
      throws IOException, CorruptStreamException {
    NavigableSet<Integer> numbers = files.numbers();
    if (numbers.isEmpty() && state.isEmpty()) {
      return;
    }
    StreamPosition known = state.durable();
    int first = state.isEmpty() ? numbers.first() : FrameLocations.segment(known.frame());
    NavigableSet<Integer> ahead = numbers.tailSet(first, true);
    if (ahead.isEmpty()) {
      throw new CorruptStreamException(files.segment(first), 0, "the segment is missing");
    }
    NavigableMap<Integer, SegmentHeader> segments = files.readHeaders(ahead);
    SegmentHeader last = segments.lastEntry().getValue();
    boolean isKnown = !state.isEmpty() && last.segment() == first;
    StreamRecovery.Tail tail =
        new StreamRecovery(files, segments).scan(isKnown ? known : StreamState.start(last));
    if (tail.last() != null) {
      // The newest frame may be in the page cache only.
      try (DiskFile file = files.disk().open(files.segment(last.segment()))) {
        file.force();
      }
    }
    state.follow(numbers.first(), segments, tail.end());
  }
}
