package io.tallystick.server.note;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The rows that notes write, as of the newest durable frame: those of frames that no savepoint
/// holds over those of the meta store. The commit thread adds, the index thread saves, any thread
/// reads. A part of what a shard has opened: what a failed force has not kept is forgotten with it.
public final class NoteRows {
  /// The newest value of a row, if no savepoint holds it.
  private record Unsaved(long frame, @Nullable Bytes value) {}

  private record FrameNotes(long frame, List<Note> notes) {}

  private final MetaStore meta;
  private final ConcurrentNavigableMap<Bytes, Unsaved> unsaved = new ConcurrentSkipListMap<>();

  /// Frames that no savepoint holds, ascending: one may hold a part of them, and then the values
  /// that rows had at its end.
  private final Deque<FrameNotes> frames = new ConcurrentLinkedDeque<>();

  private final Map<Bytes, NoteIndex> indexes = new TreeMap<>();
  private final AtomicInteger notesWaiting = new AtomicInteger();
  private final List<FrameNotes> inBatch = new ArrayList<>();

  public NoteRows(MetaStore meta) {
    this.meta = meta;
  }

  /// Tells an index of all rows of a table, and from now on of each change. To be called before the
  /// first {@link #replay}.
  ///
  /// @param table the first byte of its keys
  /// @throws CorruptStreamException if a row is none of the table
  public void keep(Bytes table, NoteIndex index) throws IOException, CorruptStreamException {
    NavigableMap<Bytes, Optional<Bytes>> newer = unsaved(table);
    List<CorruptStreamException> damage = new ArrayList<>();
    meta.scan(
        table, null, (key, value) -> newer.containsKey(key) || tell(index, key, value, damage));
    newer.forEach((key, row) -> row.ifPresent(value -> tell(index, key, value, damage)));
    if (!damage.isEmpty()) {
      throw damage.getFirst();
    }
    watch(table, index);
  }

  /// @return whether it is a row of the table
  private static boolean tell(
      NoteIndex index, Bytes key, Bytes value, List<CorruptStreamException> damage) {
    try {
      index.changed(key, value);
      return true;
    } catch (MalformedException e) {
      damage.add(
          new CorruptStreamException("row " + key.hex(), 0, String.valueOf(e.getMessage()), e));
      return false;
    }
  }

  /// As {@link #keep}, but the index is not told of the rows that are there.
  public void watch(Bytes table, NoteIndex index) {
    indexes.put(table, index);
  }

  /// The value of a row; null if there is none.
  public @Nullable Bytes get(Bytes key) throws IOException {
    Unsaved newer = unsaved.get(key);
    return newer == null ? meta.get(key) : newer.value;
  }

  /// The rows whose key starts with `prefix`, ascending.
  public NavigableMap<Bytes, Bytes> withPrefix(Bytes prefix) throws IOException {
    Map<Bytes, Optional<Bytes>> newer = unsaved(prefix); // first: what is saved meanwhile is there
    NavigableMap<Bytes, Bytes> rows = new TreeMap<>();
    meta.scan(
        prefix,
        null,
        (key, value) -> {
          rows.put(key, value);
          return true;
        });
    newer.forEach((key, row) -> put(rows, key, row.orElse(null)));
    return rows;
  }

  /// Those of them that no savepoint holds, and those that one holds and that are deleted: empty.
  public NavigableMap<Bytes, Optional<Bytes>> unsaved(Bytes prefix) {
    NavigableMap<Bytes, Optional<Bytes>> rows = new TreeMap<>();
    for (var each : unsaved.tailMap(prefix, true).entrySet()) {
      if (!startsWith(each.getKey(), prefix)) {
        break;
      }
      rows.put(each.getKey(), Optional.ofNullable(each.getValue().value));
    }
    return rows;
  }

  static boolean startsWith(Bytes key, Bytes prefix) {
    return key.size() >= prefix.size() && key.slice(0, prefix.size()).equals(prefix);
  }

  static void put(Map<Bytes, Bytes> rows, Bytes key, @Nullable Bytes value) {
    if (value == null) {
      rows.remove(key);
    } else {
      rows.put(key, value);
    }
  }

  /// The notes of a frame that is durable. For the commit thread.
  public void committed(long frame, List<Note> notes) {
    try {
      add(frame, notes);
    } catch (MalformedException e) {
      throw new AssertionError("a note that was decided is none of its table", e);
    }
  }

  /// @throws MalformedException if it makes a row that is none of its table
  void check(Note note) throws MalformedException {
    NoteIndex index = indexes.get(note.key().slice(0, 1));
    if (index != null && note.value() != null) {
      index.check(note.key(), note.value());
    }
  }

  private void add(long frame, List<Note> notes) throws MalformedException {
    if (notes.isEmpty()) {
      return;
    }
    for (Note note : notes) {
      unsaved.put(note.key(), new Unsaved(frame, note.value()));
      NoteIndex index = indexes.get(note.key().slice(0, 1));
      if (index != null) {
        index.changed(note.key(), note.value());
      }
    }
    frames.add(new FrameNotes(frame, notes));
    notesWaiting.addAndGet(notes.size());
  }

  /// Notes that no savepoint holds.
  public int waiting() {
    return notesWaiting.get();
  }

  /// The notes of a frame that is replayed.
  ///
  /// @throws MalformedException if a row is not what it was when they were decided: a frame is lost
  ///   or there twice
  public void replay(long frame, List<Note> notes) throws IOException, MalformedException {
    NoteDraft draft = new NoteDraft(this);
    for (Note note : notes) {
      Bytes before = draft.get(note.key());
      if (!Objects.equals(Note.digestOf(before), note.before())) {
        throw new MalformedException(
            "a note on row " + note.key().hex() + " follows from another value than it has");
      }
      draft.add(note);
    }
    add(frame, notes);
  }

  /// Whether a savepoint would save notes.
  ///
  /// @param end number of the first frame that it does not hold
  public boolean isDirty(long end) {
    FrameNotes first = frames.peek();
    return first != null && first.frame < end;
  }

  /// Puts the rows as of a frame into the batch of a savepoint. For the index thread.
  ///
  /// @param end number of the first frame that the savepoint does not hold
  public void savepoint(MetaBatch batch, long end) {
    inBatch.clear();
    for (FrameNotes each : frames) {
      if (each.frame >= end) {
        break;
      }
      inBatch.add(each);
      for (Note note : each.notes) {
        if (note.value() == null) {
          batch.delete(note.key());
        } else {
          batch.put(note.key(), note.value());
        }
      }
    }
  }

  /// The notes of a table that are in the batch, in their order.
  public List<Note> saving(Bytes table) {
    return inBatch.stream()
        .flatMap(frame -> frame.notes.stream())
        .filter(note -> startsWith(note.key(), table))
        .toList();
  }

  /// The batch is written.
  public void saved() {
    for (FrameNotes each : inBatch) {
      frames.remove();
      notesWaiting.addAndGet(-each.notes.size());
      for (Note note : each.notes) {
        unsaved.remove(note.key(), new Unsaved(each.frame, note.value()));
      }
    }
    inBatch.clear();
  }
}
