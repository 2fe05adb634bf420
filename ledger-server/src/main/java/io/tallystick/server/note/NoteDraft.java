package io.tallystick.server.note;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The notes of the next frame, and the rows as they will be. For the commit thread.
public final class NoteDraft {
  private final NoteRows rows;
  private final List<Note> notes = new ArrayList<>();
  private final NavigableMap<Bytes, Optional<Bytes>> changed = new TreeMap<>();

  public NoteDraft(NoteRows rows) {
    this.rows = rows;
  }

  /// The rows that it changes.
  public NoteRows rows() {
    return rows;
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

  /// The rows whose key starts with `prefix`, ascending.
  public NavigableMap<Bytes, Bytes> withPrefix(Bytes prefix) throws IOException {
    NavigableMap<Bytes, Bytes> all = rows.withPrefix(prefix);
    changedWithPrefix(prefix).forEach((key, value) -> NoteRows.put(all, key, value.orElse(null)));
    return all;
  }

  /// Those of them that this draft changes; empty: it deletes the row.
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
    changed.put(note.key(), Optional.ofNullable(note.value()));
  }

  /// How many notes there are: for {@link #cutTo}.
  public int size() {
    return notes.size();
  }

  /// Takes the last notes back.
  public void cutTo(int size) {
    if (size == notes.size()) {
      return;
    }
    List<Note> kept = List.copyOf(notes.subList(0, size));
    notes.clear();
    changed.clear();
    kept.forEach(this::add);
  }
}
