package io.tallystick.server.note;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The notes of the next frame, and the rows as they will be. For the commit thread.
public final class NoteDraft {
  /// Bytes of the notes of one frame, at most. Infos and payloads take less than half of a frame.
  private static final int BYTES_MAX = 4 << 20;

  private static final int OVERHEAD_BYTES = 48;

  private final NoteRows rows;
  private final List<Note> notes = new ArrayList<>();
  private final NavigableMap<Bytes, Optional<Bytes>> changed = new TreeMap<>();

  private long bytes;

  public NoteDraft(NoteRows rows) {
    this.rows = rows;
  }

  /// For a table of one opening of a shard.
  ///
  /// @throws RequestRejectedException `UNAVAILABLE` if this draft is of another opening
  public void checkRows(NoteRows ofTable) throws RequestRejectedException {
    if (!rows.equals(ofTable)) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "the shard has opened itself again; ask again");
    }
  }

  public List<Note> notes() {
    return List.copyOf(notes);
  }

  public boolean isEmpty() {
    return notes.isEmpty();
  }

  /// The value of a row; null if there is none.
  public @Nullable Bytes get(Bytes key) throws IOException {
    Optional<Bytes> here = changed.get(key);
    return here == null ? rows.get(key) : here.orElse(null);
  }

  /// The rows that this draft changes whose key starts with `prefix`; empty: it deletes the row.
  public NavigableMap<Bytes, Optional<Bytes>> changedWithPrefix(Bytes prefix) {
    NavigableMap<Bytes, Optional<Bytes>> found = new TreeMap<>();
    for (var each : changed.tailMap(prefix, true).entrySet()) {
      if (!NoteRows.startsWith(each.getKey(), prefix)) {
        break;
      }
      found.put(each.getKey(), each.getValue());
    }
    return found;
  }

  public void put(Bytes key, Bytes value) throws IOException {
    add(new Note(key, value, Note.digestOf(get(key))));
  }

  /// Does nothing without such a row.
  public void delete(Bytes key) throws IOException {
    Bytes before = get(key);
    if (before != null) {
      add(new Note(key, null, Note.digestOf(before)));
    }
  }

  void add(Note note) {
    notes.add(note);
    bytes += sizeOf(note);
    changed.put(note.key(), Optional.ofNullable(note.value()));
  }

  /// Checks the last notes before a frame has them.
  ///
  /// @param from how many came before them
  /// @throws MalformedException if a row is none of its table
  /// @throws RequestRejectedException `RATE_LIMITED` if the frame has no room for them
  public void check(int from) throws MalformedException, RequestRejectedException {
    for (Note note : notes.subList(from, notes.size())) {
      rows.check(note);
    }
    if (bytes > BYTES_MAX) {
      throw new RequestRejectedException(
          RejectionCode.RATE_LIMITED, "a frame takes no more notes than " + BYTES_MAX + " bytes");
    }
  }

  /// How many notes there are: for {@link #cutTo}.
  public int size() {
    return notes.size();
  }

  private static long sizeOf(Note note) {
    return (long) OVERHEAD_BYTES
        + note.key().size()
        + (note.value() == null ? 0 : note.value().size());
  }

  /// Takes the last notes back.
  public void cutTo(int size) {
    if (size == notes.size()) {
      return;
    }
    List<Note> kept = List.copyOf(notes.subList(0, size));
    notes.clear();
    changed.clear();
    bytes = 0;
    kept.forEach(this::add);
  }
}
