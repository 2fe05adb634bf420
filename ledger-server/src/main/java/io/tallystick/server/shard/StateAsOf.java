package io.tallystick.server.shard;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.removal.ImageRows;
import io.tallystick.server.removal.NotedObjects;
import io.tallystick.server.removal.SnapshotJournals;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.server.removal.Stillness;
import io.tallystick.server.saved.ReplayRows;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.state.LocalImages;
import io.tallystick.server.state.RebuiltStateMaker;
import io.tallystick.server.state.StateImages;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Makes states of a stopped shard as of earlier blocks, up to its last savepoint. The shard's
/// journals, indexes and states stay as they are.
public final class StateAsOf {
  private final ShardStorage storage;
  private final BatchHasher hasher;
  private final HeadSigner signer;

  /// Makes the folder that a state goes to, once nothing speaks against it.
  @FunctionalInterface
  public interface Folder {
    Disk open() throws IOException;
  }

  /// @param signer for a head whose signature was lost in a crash
  public StateAsOf(ShardStorage storage, BatchHasher hasher, HeadSigner signer) {
    this.storage = storage;
    this.hasher = hasher;
    this.signer = signer;
  }

  /// See {@link RebuiltStateMaker#make}.
  ///
  /// @param only whose state; null: of the one ledger that has one
  /// @throws RequestRejectedException `UNKNOWN_LEDGER`, also if there is not one; or as {@link
  ///   RebuiltStateMaker#check}
  public RebuiltStateMaker.Made make(
      @Nullable LedgerId only, long height, Folder folder, RebuiltStateMaker.Progress progress)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Map<LedgerId, LedgerGenesis> ledgers = new LinkedHashMap<>();
    for (SavedWorld.SavedLedger saved : SavedWorld.ledgers(storage.meta())) {
      ledgers.put(saved.ledger().id(), saved.ledger());
    }
    LedgerId ledger = chosen(only, ledgers);
    SavepointRow saved = Recovery.takeOver(storage);
    try (ArrayStore arrays = new ArrayStore(storage.disk(), storage.meta(), ArrayLimits.DEFAULT);
        StreamWriter _ =
            storage.streams().openWriter(storage.stream(), saved.epoch(), saved.position());
        StreamReader stream = storage.streams().openReader(storage.stream())) {
      Indexer indexer =
          new Indexer(
              storage.meta(),
              arrays,
              hasher,
              signer,
              ledgers::get,
              new ReplayRows(),
              List.of(), // no index is read
              new StoredBlocks(stream),
              _ -> {}); // no journal is applied
      StrandIndex strand = indexer.strand(new StrandId(ledger, 0));
      check(strand, height, stream, saved.position());
      LogReader log = new LogReader(stream, hasher, new SnapshotJournals(snapshots()));
      try (Disk to = folder.open()) {
        return new RebuiltStateMaker(
                strand,
                log,
                StateImages.open(storage.disk(), new LocalImages()),
                new Evidence(signer),
                hasher,
                storage.disk(),
                to)
            .make(height, progress);
      }
    }
  }

  /// As the savepoint has them; nothing is noted.
  private SnapshotRows snapshots() throws IOException, CorruptStreamException {
    NoteRows rows = new NoteRows(storage.meta());
    ShardNotes writer = new ShardNotes();
    NotedObjects noted = new NotedObjects(storage.openObjects(), new Stillness());
    ImageRows images = ImageRows.open(rows, writer, noted, storage.disk(), new LocalImages());
    return SnapshotRows.open(rows, writer, noted, images, new HashSet<>());
  }

  private static LedgerId chosen(@Nullable LedgerId only, Map<LedgerId, LedgerGenesis> ledgers)
      throws RequestRejectedException {
    if (only != null) {
      if (!ledgers.containsKey(only)) {
        throw new RequestRejectedException(RejectionCode.UNKNOWN_LEDGER, "no ledger " + only);
      }
      return only;
    }
    List<LedgerId> withState =
        ledgers.values().stream()
            .filter(ledger -> ledger.params().stateParams() != null)
            .map(LedgerGenesis::id)
            .toList();
    if (withState.size() != 1) {
      throw new RequestRejectedException(
          RejectionCode.UNKNOWN_LEDGER,
          String.format(Locale.ROOT, "%d ledgers have a state", withState.size()));
    }
    return withState.getFirst();
  }

  private static void check(
      StrandIndex strand, long height, StreamReader stream, StreamPosition saved)
      throws IOException, CorruptStreamException, RequestRejectedException {
    try {
      RebuiltStateMaker.check(strand, height);
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.OUT_OF_RANGE && hasMore(stream, saved)) {
        throw new RequestRejectedException(
            e.code(),
            String.format(
                Locale.ROOT,
                "%s in the last savepoint, behind which there are journals: start and stop the"
                    + " service first",
                e.getMessage()));
      }
      throw e;
    }
  }

  /// Whether a crash has left frames that only a start applies.
  private static boolean hasMore(StreamReader stream, StreamPosition saved)
      throws IOException, CorruptStreamException {
    try (FrameCursor cursor = stream.tail(saved)) {
      return cursor.next();
    }
  }
}
