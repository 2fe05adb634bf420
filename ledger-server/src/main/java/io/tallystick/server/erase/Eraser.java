package io.tallystick.server.erase;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.ErasureRow;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Occult;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.ErasedFrame;
import io.tallystick.storage.stream.FrameEdits;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.StreamEraser;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Erases what removals name, a piece in each turn: plans some frames, forces the plan into the
/// meta store, erases them, forces that they are done. After a crash a turn begins with the frames
/// that were planned. The savepoint that has a removal also has its {@link ErasureRow}, so nothing
/// is erased that a restart would not know to be removed. One owner thread. Source:
/// `docs/architecture.md`, "Erase".
public final class Eraser implements AutoCloseable {
  private static final int JOURNALS_MAX = 4096;

  private final MetaStore meta;
  private final StreamEraser stream;
  private final Indexer indexer;
  private final LogReader log;
  private final InstantSource clock;
  private final Set<Bytes> blocked = new HashSet<>();

  /// @param indexer of the opening of the shard that `stream` and `log` are of
  public Eraser(
      MetaStore meta, StreamEraser stream, Indexer indexer, LogReader log, InstantSource clock) {
    this.meta = meta;
    this.stream = stream;
    this.indexer = indexer;
    this.log = log;
    this.clock = clock;
  }

  /// A removal whose bytes cannot be erased, because they are damaged already.
  public record Blocked(LedgerId ledger, long jsn, Exception cause) {}

  /// Erases a piece of the first removal that is not done and not blocked.
  ///
  /// @param report told of a removal that is left alone from now on, until this eraser is replaced
  /// @return false if there is nothing to do
  /// @throws IOException this eraser must not be used again; what was begun is done again by the
  ///   next one
  public boolean turn(Consumer<Blocked> report) throws IOException {
    Task task = next();
    if (task == null) {
      return false;
    }
    try {
      erase(task);
    } catch (CorruptStreamException | MalformedException | RequestRejectedException e) {
      blocked.add(task.key);
      report.accept(new Blocked(task.ledger, task.jsn, e));
    }
    return true;
  }

  private record Task(Bytes key, LedgerId ledger, long jsn, Bytes row) {}

  private @Nullable Task next() throws IOException {
    List<Task> found = new ArrayList<>(1);
    meta.scan(
        ErasureRow.PREFIX,
        null,
        (key, row) -> {
          if (blocked.contains(key)) {
            return true;
          }
          try {
            found.add(new Task(key, ErasureRow.ledgerOf(key), ErasureRow.jsnOf(key), row));
          } catch (MalformedException e) {
            throw new IOException("row of an erasure: " + e.getMessage(), e);
          }
          return false;
        });
    return found.isEmpty() ? null : found.getFirst();
  }

  private void erase(Task task)
      throws IOException, CorruptStreamException, MalformedException, RequestRejectedException {
    ErasureRow row = ErasureRow.decode(task.row);
    if (row.planned().isEmpty()) {
      row = plan(task, row.next());
      if (!row.planned().isEmpty()) {
        meta.write(new MetaBatch().put(task.key, row.encode()));
      }
    }
    if (!row.planned().isEmpty()) {
      stream.erase(row.planned());
    }
    Occult occult = occult(task);
    if (row.next() > occult.journals().last()) {
      Bytes occultKey = RemovalRows.occultKey(task.ledger, task.jsn);
      meta.write(
          new MetaBatch()
              .put(occultKey, RemovalRows.encodeDone(occult, clock.millis()))
              .delete(task.key));
    } else {
      meta.write(new MetaBatch().put(task.key, new ErasureRow(row.next(), List.of()).encode()));
    }
  }

  private Occult occult(Task task) throws IOException, MalformedException {
    Bytes key = RemovalRows.occultKey(task.ledger, task.jsn);
    Bytes row = meta.get(key);
    if (row == null) {
      throw new MalformedException(
          "erasure of %d of %s, which is no occult".formatted(task.jsn, task.ledger));
    }
    return RemovalRows.decodeOccult(key, row);
  }

  /// The next frames that have bodies to erase, whole pieces of the occult's journals.
  private ErasureRow plan(Task task, long from)
      throws IOException, CorruptStreamException, MalformedException, RequestRejectedException {
    StrandIndex strand = indexer.strand(new StrandId(task.ledger, 0));
    NavigableMap<Long, List<FrameEdits.Range>> frames = new TreeMap<>();
    PrimitiveIterator.OfLong jsns = occult(task).journals().from(from);
    long next = Long.MAX_VALUE;
    int journals = 0;
    while (jsns.hasNext()) {
      long jsn = jsns.nextLong();
      LogReader.ErasablePart part = log.erasable(strand, jsn);
      Location at = part.at();
      boolean full = frames.size() == ErasureRow.FRAMES_MAX && !frames.containsKey(at.frame());
      if (full || journals == JOURNALS_MAX) {
        next = jsn;
        break;
      }
      journals++;
      frames
          .computeIfAbsent(at.frame(), _ -> new ArrayList<>())
          .add(new FrameEdits.Range(at.offset(), part.bytes()));
    }
    List<ErasedFrame> planned = new ArrayList<>(frames.size());
    for (Map.Entry<Long, List<FrameEdits.Range>> frame : frames.entrySet()) {
      planned.add(stream.plan(frame.getKey(), FrameEdits.zeros(frame.getValue())));
    }
    return new ErasureRow(next, planned);
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
