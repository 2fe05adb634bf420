package io.tallystick.server.sim;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.server.note.Note;
import io.tallystick.server.note.NotesSection;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.StreamStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Noted rows that are in the meta store too early: before their frame is durable or, if
/// `withSavepoint`, with a savepoint whose position is before it.
final class EarlyNotes implements Sabotage {
  private final boolean withSavepoint;
  private @Nullable Rows newest;

  EarlyNotes(boolean withSavepoint) {
    this.withSavepoint = withSavepoint;
  }

  @Override
  public MetaStore meta(MetaStore meta) {
    Rows rows = new Rows(meta, withSavepoint);
    newest = rows;
    return rows;
  }

  @Override
  public StreamStore streams(StreamStore streams) {
    return LossyStreams.watching(streams, Objects.requireNonNull(newest)::appending);
  }

  private static final class Rows implements MetaStore {
    private final MetaStore meta;
    private final boolean withSavepoint;
    private final List<Note> appended = new ArrayList<>();

    Rows(MetaStore meta, boolean withSavepoint) {
      this.meta = meta;
      this.withSavepoint = withSavepoint;
    }

    void appending(FrameBuffer frame) throws IOException {
      appended.addAll(notesOf(frame));
      if (!withSavepoint) {
        write(new MetaBatch());
      }
    }

    private static List<Note> notesOf(FrameBuffer frame) {
      try {
        return NotesSection.read(ByteBuffer.wrap(frame.notes().array(), 0, frame.notes().length()));
      } catch (MalformedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void write(MetaBatch batch) throws IOException {
      boolean saves =
          batch.changes().stream().anyMatch(change -> change.key().equals(SavepointRow.KEY));
      if (saves || !withSavepoint) {
        for (Note note : appended) {
          if (note.value() == null) {
            batch.delete(note.key());
          } else {
            batch.put(note.key(), note.value());
          }
        }
        appended.clear();
      }
      meta.write(batch);
    }

    @Override
    public @Nullable Bytes get(Bytes key) throws IOException {
      return meta.get(key);
    }

    @Override
    public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
      meta.scan(prefix, after, visitor);
    }

    @Override
    public void close() throws IOException {
      meta.close();
    }
  }
}
