package io.tallystick.server.backup;

import io.tallystick.model.MalformedException;
import io.tallystick.server.note.Note;
import io.tallystick.server.note.NotesSection;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/// Copies the stream of a cluster's shard while its owner goes on. Erasing puts another log in the
/// place of a segment's, or drops the segment, before a note says that it is done: so each copy
/// that stays must be of the log that is listed once the rows have been saved. One thread's.
final class SharedSegments {
  private static final int TRIES = 10;

  private final StreamId shard;
  private final ReplicatedStreamStore streams;
  private final SegmentFiles files;

  /// The log of each segment that is copied to its end, as it was listed before.
  private final SortedMap<Integer, Long> copied = new TreeMap<>();

  /// Number of the first segment that may get more frames than its copy has.
  private int open;

  /// @param files without segments
  SharedSegments(StreamId shard, ReplicatedStreamStore streams, SegmentFiles files) {
    this.shard = shard;
    this.streams = streams;
    this.files = files;
  }

  private interface Step {
    void run(StreamReader stream, SortedMap<Integer, Long> logs)
        throws IOException, CorruptStreamException;
  }

  /// Copies all segments but the last: what takes long.
  void copyClosed() throws IOException, CorruptStreamException {
    onListed((stream, logs) -> {
      List<StreamReader.Segment> all = stream.segments();
      renew(stream, logs, all.getLast().number());
      open = all.getLast().number();
    });
  }

  /// Makes the copies those of the stream up to an end, as it is stored now.
  ///
  /// @param end of the frames in the rows, which were saved before this call
  void copyTo(StreamPosition end) throws IOException, CorruptStreamException {
    onListed((stream, logs) -> {
      files.dropFrom(open);
      renew(stream, logs, open);
      boolean isFirst = true;
      for (StreamReader.Segment each : stream.segments()) {
        if (each.number() >= open && (isFirst || each.firstFrame() < end.number())) {
          files.copy(stream, each, end.number());
          isFirst = false;
        }
      }
    });
  }

  /// Whether a frame behind an end notes something of one of these tables, each a letter.
  boolean isNotedBehind(StreamPosition end, String tables)
      throws IOException, CorruptStreamException {
    try (StreamReader stream = streams.openReader(shard);
        FrameCursor behind = stream.tail(end)) {
      while (behind.next()) {
        for (Note note : notes(behind)) {
          if (tables.indexOf(note.key().unsafeArray()[0]) >= 0) {
            return true;
          }
        }
      }
      return false;
    }
  }

  static List<Note> notes(FrameCursor frame) throws CorruptStreamException {
    try {
      return NotesSection.read(frame.notes());
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "notes of frame " + frame.position().number(), 0, String.valueOf(e.getMessage()), e);
    }
  }

  /// The list is read before the stream, which then is as new or newer.
  private void onListed(Step step) throws IOException, CorruptStreamException {
    for (int i = 0; i < TRIES; i++) {
      SortedMap<Integer, Long> logs = streams.logsOf(shard);
      try (StreamReader stream = streams.openReader(shard)) {
        step.run(stream, logs);
        return;
      } catch (CorruptStreamException e) {
        SortedMap<Integer, Long> now = streams.logsOf(shard);
        if (logs.isEmpty() || now.isEmpty() || now.firstKey().equals(logs.firstKey())) {
          throw e;
        }
        // A purge has dropped segments.
      }
    }
    throw new IOException("segments are dropped all the time; try again later");
  }

  /// Copies what was not copied below a segment, and what lies elsewhere now; drops what is gone.
  private void renew(StreamReader stream, SortedMap<Integer, Long> logs, int before)
      throws IOException, CorruptStreamException {
    int first = stream.segments().getFirst().number();
    files.dropBefore(first);
    copied.headMap(first).clear();
    for (StreamReader.Segment each : stream.segments()) {
      Long log = logs.get(each.number());
      if (each.number() >= before
          || (log != null && Objects.equals(copied.get(each.number()), log))) {
        continue;
      }
      copied.remove(each.number());
      if (files.has(each.number())) {
        files.copyAgain(stream, each);
      } else {
        files.copy(stream, each, Long.MAX_VALUE);
      }
      if (log != null) {
        copied.put(each.number(), log);
      }
    }
  }
}
