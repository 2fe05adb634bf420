package io.tallystick.server.removal;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.note.Note;
import io.tallystick.server.note.NoteDraft;
import io.tallystick.server.note.NoteIndex;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The erasures of a shard: those that are left, as savepoints write them, and as notes how far
/// each is, once it has begun, and that it is done. Part of one opening of a shard. Source:
/// `docs/formats/savepoint.md`, "Removals".
public final class ErasureTable {
  private final MetaStore meta;
  private final NoteRows rows;
  private final NoteWriter writer;

  private ErasureTable(MetaStore meta, NoteRows rows, NoteWriter writer) {
    this.meta = meta;
    this.rows = rows;
    this.writer = writer;
  }

  /// To be called before the first frame is replayed.
  ///
  /// @throws CorruptStreamException if a row is none of an erasure
  public static ErasureTable open(MetaStore meta, NoteRows rows, NoteWriter writer)
      throws IOException, CorruptStreamException {
    rows.keep(PendingErasureRow.NOTED, checked(ErasureTable::checkNoted));
    rows.watch(RemovalRows.DONE, checked(ErasureTable::checkDone));
    ErasureTable table = new ErasureTable(meta, rows, writer);
    try {
      var _ = table.tasks();
    } catch (MalformedException e) {
      throw new CorruptStreamException("erasure rows", 0, String.valueOf(e.getMessage()), e);
    }
    return table;
  }

  private interface Check {
    void check(Bytes key, Bytes value) throws MalformedException;
  }

  private static NoteIndex checked(Check check) {
    return new NoteIndex() {
      @Override
      public void check(Bytes key, Bytes value) throws MalformedException {
        check.check(key, value);
      }

      @Override
      public void changed(Bytes key, @Nullable Bytes value) throws MalformedException {
        if (value != null) {
          check.check(key, value);
        }
      }
    };
  }

  private static void checkNoted(Bytes key, Bytes value) throws MalformedException {
    LedgerId _ = PendingErasureRow.ledgerOf(key);
    PendingErasureRow _ = PendingErasureRow.decode(value);
  }

  private static void checkDone(Bytes key, Bytes value) throws MalformedException {
    LedgerId _ = PendingErasureRow.ledgerOf(key);
    long _ = RemovalRows.decodeDone(value);
  }

  /// All that are not done, ascending by ledger and removal. Of one that a savepoint has not yet
  /// nothing can be erased, but frames of it may be erased in part: before the shard was taken over
  /// with this savepoint.
  List<ErasureTask> tasks() throws IOException, MalformedException {
    Map<Bytes, Optional<Bytes>> done = rows.unsaved(RemovalRows.DONE);
    NavigableMap<Bytes, Bytes> left = new TreeMap<>(rows.withPrefix(PendingErasureRow.NOTED));
    meta.scan(
        PendingErasureRow.PREFIX,
        null,
        (key, row) -> {
          if (!done.containsKey(in(RemovalRows.DONE, key))) {
            var _ = left.putIfAbsent(in(PendingErasureRow.NOTED, key), row);
          }
          return true;
        });
    List<ErasureTask> tasks = new ArrayList<>(left.size());
    for (Map.Entry<Bytes, Bytes> each : left.entrySet()) {
      tasks.add(ErasureTask.of(each.getKey(), each.getValue()));
    }
    return tasks;
  }

  /// The key of the same removal in another table.
  private static Bytes in(Bytes table, Bytes key) {
    byte[] other = key.toArray();
    table.copyInto(other, 0);
    return Bytes.wrap(other);
  }

  /// Frames that are planned and may be erased in part, by location.
  public List<Long> unfinished() throws IOException, MalformedException {
    return tasks().stream()
        .flatMap(task -> task.row().planned().stream())
        .map(each -> each.frame())
        .toList();
  }

  /// When all that a removal names was erased; empty until then.
  public OptionalLong doneMs(LedgerId ledger, long jsn) throws IOException, MalformedException {
    Bytes row = rows.get(RemovalRows.doneKey(ledger, jsn));
    return row == null ? OptionalLong.empty() : OptionalLong.of(RemovalRows.decodeDone(row));
  }

  boolean isDone(LedgerId ledger, long jsn) throws IOException {
    return rows.get(RemovalRows.doneKey(ledger, jsn)) != null;
  }

  /// Notes that the erasing of a purge begins: no recall comes behind it.
  ///
  /// @return completes with false, and nothing is noted, if the purge was recalled or still can be
  CompletableFuture<Boolean> begin(ErasureTask task, PendingErasureRow begun) {
    Bytes value = begun.encode();
    return writer.writeLater(
        value.size(),
        true,
        (draft, moment) -> {
          check(draft, task);
          Optional<Purge> purge = moment.purge(task.ledger(), task.jsn());
          if (purge.isEmpty() || moment.timeMs() <= purge.get().recallUntilMs()) {
            return false;
          }
          draft.put(task.key(), value);
          return true;
        });
  }

  /// Notes how far it is.
  CompletableFuture<Boolean> progress(ErasureTask task, PendingErasureRow row) {
    Bytes value = row.encode();
    return writer.writeLater(
        value.size(),
        true,
        (draft, _) -> {
          check(draft, task);
          draft.put(task.key(), value);
          return true;
        });
  }

  /// Notes that all is erased.
  CompletableFuture<Boolean> done(ErasureTask task) {
    return writer.writeLater(
        0,
        true,
        (draft, moment) -> {
          check(draft, task);
          draft.delete(task.key());
          draft.put(
              RemovalRows.doneKey(task.ledger(), task.jsn()),
              RemovalRows.encodeDone(moment.timeMs()));
          return true;
        });
  }

  /// @throws IllegalStateException if the row is not the one that the task goes on from
  private void check(NoteDraft draft, ErasureTask task)
      throws IOException, RequestRejectedException {
    draft.checkRows(rows);
    Bytes noted = draft.get(task.key());
    boolean isDone = draft.get(RemovalRows.doneKey(task.ledger(), task.jsn())) != null;
    boolean follows = noted == null ? !isDone : noted.equals(task.row().encode());
    if (!follows) {
      throw new IllegalStateException(
          "the erasing of removal " + task.jsn() + " has come to another point meanwhile");
    }
  }

  /// Adds to a savepoint what follows from the erasures that it has as done: they are left no more,
  /// and a ledger that is deleted has no name any more. To be called when everything else is in the
  /// batch.
  public static void savepoint(MetaBatch batch, NoteRows notes, Indexer indexer)
      throws IOException, CorruptStreamException {
    for (Note done : notes.saving(RemovalRows.DONE)) {
      batch.delete(in(PendingErasureRow.PREFIX, done.key()));
      StrandIndex strand = strandOf(done, indexer);
      if (strand.head().governance().deleted()) {
        batch.put(
            WorldRows.ledgerKey(strand.strand().ledger()),
            WorldRows.encode(strand.ledger().nameless()));
      }
    }
  }

  /// Whether a savepoint with these notes takes a name away.
  public static boolean forgetsName(List<Note> notes, Indexer indexer)
      throws IOException, CorruptStreamException {
    for (Note note : notes) {
      if (note.key().slice(0, 1).equals(RemovalRows.DONE)
          && strandOf(note, indexer).head().governance().deleted()) {
        return true;
      }
    }
    return false;
  }

  private static StrandIndex strandOf(Note done, Indexer indexer)
      throws IOException, CorruptStreamException {
    try {
      return indexer.strand(new StrandId(PendingErasureRow.ledgerOf(done.key()), 0));
    } catch (MalformedException e) {
      throw new AssertionError("a note that was checked", e);
    }
  }
}
