package io.tallystick.server.mark;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ReadOnlyMark;
import io.tallystick.server.note.NoteIndex;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The ledgers to which nothing is appended, because witnesses have seen heads of them that are not
/// in their log: a note for each witness, and the same in memory. Each witness takes its own mark
/// back, the operator all. Part of one opening of a shard. Thread-safe.
public final class ReadOnlyMarks {
  /// Of the name of a witness, in characters.
  private static final int NAME_CHARS_MAX = 1024;

  private final NoteRows rows;
  private final NoteWriter writer;

  /// By ledger, by key of the row.
  private final Map<LedgerId, Map<Bytes, ReadOnlyRow>> marked = new ConcurrentHashMap<>();

  private ReadOnlyMarks(NoteRows rows, NoteWriter writer) {
    this.rows = rows;
    this.writer = writer;
  }

  /// Reads what is kept, and hears of each change from now on.
  ///
  /// @throws CorruptStreamException if a row is none of a mark
  public static ReadOnlyMarks open(NoteRows rows, NoteWriter writer)
      throws IOException, CorruptStreamException {
    ReadOnlyMarks marks = new ReadOnlyMarks(rows, writer);
    rows.keep(ReadOnlyRow.PREFIX, marks.new Index());
    return marks;
  }

  private final class Index implements NoteIndex {
    @Override
    public void check(Bytes key, Bytes value) throws MalformedException {
      ReadOnlyRow _ = ReadOnlyRow.decode(key, value);
    }

    @Override
    public void changed(Bytes key, @Nullable Bytes value) throws MalformedException {
      LedgerId ledger = ReadOnlyRow.ledgerOf(key);
      Map<Bytes, ReadOnlyRow> marks = new TreeMap<>(marked.getOrDefault(ledger, Map.of()));
      if (value == null) {
        marks.remove(key);
      } else {
        marks.put(key, ReadOnlyRow.decode(key, value));
      }
      if (marks.isEmpty()) {
        marked.remove(ledger);
      } else {
        marked.put(ledger, marks);
      }
    }
  }

  /// Marks a ledger; of one witness the largest size counts. A full disk takes it, too.
  ///
  /// @param seenSize of a head that is not in its log
  public CompletableFuture<Boolean> markLater(LedgerId ledger, long seenSize, String by) {
    if (by.isEmpty() || by.length() > NAME_CHARS_MAX) {
      return CompletableFuture.failedFuture(
          new RequestRejectedException(
              RejectionCode.MALFORMED,
              String.format(
                  Locale.ROOT,
                  "a name of %d characters, want 1 to %d",
                  by.length(),
                  NAME_CHARS_MAX)));
    }
    Bytes key = ReadOnlyRow.key(ledger, by);
    return writer.writeLater(
        by.length(),
        true,
        (draft, _) -> {
          draft.checkRows(rows);
          Bytes before = draft.get(key);
          if (before == null || decoded(key, before).seenSize() < seenSize) {
            draft.put(key, new ReadOnlyRow(seenSize, by).encode());
          }
          return true;
        });
  }

  /// Takes the mark of one witness back, or all.
  ///
  /// @return whether there was any
  public boolean lift(LedgerId ledger, Optional<String> by) throws RequestRejectedException {
    if (!marked.containsKey(ledger)) {
      return false;
    }
    return writer.write(
        0,
        (draft, _) -> {
          draft.checkRows(rows);
          Bytes prefix =
              by.map(name -> ReadOnlyRow.key(ledger, name)).orElse(ReadOnlyRow.prefix(ledger));
          Map<Bytes, Bytes> there = rows.withPrefix(prefix);
          draft.changedWithPrefix(prefix).forEach((key, _) -> there.putIfAbsent(key, Bytes.EMPTY));
          boolean any = false;
          for (Bytes key : there.keySet()) {
            any |= draft.get(key) != null;
            draft.delete(key);
          }
          return any;
        });
  }

  private static ReadOnlyRow decoded(Bytes key, Bytes row) throws RequestRejectedException {
    try {
      return ReadOnlyRow.decode(key, row);
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "a read-only mark: " + e.getMessage(), e);
    }
  }

  /// Why nothing is appended to a ledger; null if something may be.
  public @Nullable RequestRejectedException refusal(LedgerId ledger) {
    Map<Bytes, ReadOnlyRow> marks = marked.get(ledger);
    if (marks == null) {
      return null;
    }
    long seenSize = marks.values().stream().mapToLong(ReadOnlyRow::seenSize).max().orElseThrow();
    return new RequestRejectedException(
            RejectionCode.READ_ONLY,
            String.format(
                Locale.ROOT,
                "a head of %d leaves was seen that is not in this ledger's log",
                seenSize))
        .withLimit(seenSize);
  }

  /// Whether no ledger is marked.
  public boolean isEmpty() {
    return marked.isEmpty();
  }

  /// Those of one ledger, as witnesses have left them.
  public List<ReadOnlyMark> of(LedgerId ledger) {
    return marked.getOrDefault(ledger, Map.of()).values().stream()
        .map(row -> new ReadOnlyMark(row.by(), row.seenSize()))
        .toList();
  }

  /// How many ledgers are marked.
  public long count() {
    return marked.size();
  }
}
