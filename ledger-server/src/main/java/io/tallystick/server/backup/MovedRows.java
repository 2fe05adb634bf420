package io.tallystick.server.backup;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.certificate.ChainTable;
import io.tallystick.server.removal.ImageFiles;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.BlockTable;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.saved.StrandRow;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.storage.object.ObjectMove;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Writes the rows of a saved shard as they are with its frames in segment files, and its objects
/// and images in files. Source: `docs/formats/backup.md`, "Of a cluster".
final class MovedRows {
  private static final Bytes SAVEPOINT = SavepointRow.KEY;
  private static final Set<Bytes> ERASURES =
      Set.of(PendingErasureRow.PREFIX, PendingErasureRow.NOTED);
  private static final int BATCH_ROWS = 10_000;

  private final Disk disk;
  private final MetaStore from;
  private final FramePlaces places;

  /// @param disk with the shard's arrays
  /// @param from its rows, which nobody has in use
  MovedRows(Disk disk, MetaStore from, FramePlaces places) {
    this.disk = disk;
    this.from = from;
    this.places = places;
  }

  /// @param to has no rows
  /// @param files gets those arrays that hold locations, objects and images
  void write(MetaStore to, Disk files, ObjectStore objects)
      throws IOException, CorruptStreamException {
    copy(to);
    MetaBatch placed = new MetaBatch();
    ObjectMove move = ObjectMove.between(objects, LocalObjects.open(files));
    ChainTable.place(from, move, placed);
    SnapshotRows.place(from, move, placed);
    to.write(placed);
    ImageFiles.copyAll(from, objects, files);
    try (ArrayStore source = new ArrayStore(disk, from, ArrayLimits.DEFAULT);
        ArrayStore target = new ArrayStore(files, to, ArrayLimits.DEFAULT)) {
      for (SavedWorld.SavedLedger each : SavedWorld.ledgers(from)) {
        blocks(each, source, target, to);
      }
    }
  }

  private void copy(MetaStore to) throws IOException, CorruptStreamException {
    List<MetaBatch> batch = new ArrayList<>(List.of(new MetaBatch()));
    int[] rows = {0};
    List<MalformedException> damage = new ArrayList<>();
    from.scan(
        Bytes.EMPTY,
        null,
        (key, value) -> {
          if (RowFile.isOfIndex(key) || BlockTable.isRow(key) || ImageFiles.isRow(key)) {
            return true;
          }
          try {
            batch.getFirst().put(key, moved(key, value));
          } catch (MalformedException e) {
            damage.add(e);
            return false;
          }
          if (++rows[0] % BATCH_ROWS == 0) {
            to.write(batch.getFirst());
            batch.set(0, new MetaBatch());
          }
          return true;
        });
    if (!damage.isEmpty()) {
      throw new CorruptStreamException(
          "rows", 0, String.valueOf(damage.getFirst().getMessage()), damage.getFirst());
    }
    to.write(batch.getFirst());
  }

  private Bytes moved(Bytes key, Bytes value) throws MalformedException {
    if (key.equals(SAVEPOINT)) {
      SavepointRow row = SavepointRow.decode(value);
      StreamPosition at = row.position();
      return new SavepointRow(
              new StreamPosition(places.of(at.number(), at.frame()), at.number()),
              row.epoch(),
              row.timeMs())
          .encode();
    }
    Bytes table = key.slice(0, 1);
    if (table.equals(StrandRow.STRANDS)) {
      StrandRow row = StrandRow.decode(key, value);
      return new StrandRow(row.blocks(), row.governed(), moved(row.last())).encode(strandOf(key));
    }
    return ERASURES.contains(table) ? moved(PendingErasureRow.decode(value)) : value;
  }

  private static StrandId strandOf(Bytes key) {
    byte[] bytes = key.toArray();
    int strand = ByteBuffer.wrap(bytes).getInt(1 + Digest.BYTES);
    return new StrandId(new LedgerId(Digest.of(bytes, 1)), strand);
  }

  private Bytes moved(PendingErasureRow row) {
    List<ErasedFrame> planned =
        row.planned().stream()
            .map(each ->
                new ErasedFrame(
                    places.of(each.header().number(), each.frame()), each.header(), each.edits()))
            .toList();
    return new PendingErasureRow(row.next(), planned).encode();
  }

  private BlockRow moved(BlockRow row) {
    return row.at(places.of(row.frameNumber(), row.frame()));
  }

  private void blocks(
      SavedWorld.SavedLedger ledger, ArrayStore source, ArrayStore target, MetaStore to)
      throws IOException, CorruptStreamException {
    StrandId strand = new StrandId(ledger.ledger().id(), 0);
    long count = ledger.strand().blocks();
    BlockTable there = new BlockTable(source, strand, count);
    BlockTable here = new BlockTable(target, strand, 0);
    Digest before = Digest.ZERO;
    for (long height = 0; height < count; height++) {
      BlockRow row = there.row(height);
      here.append(moved(row), before);
      before = row.sealHash();
      if ((height + 1) % BATCH_ROWS == 0 || height + 1 == count) {
        MetaBatch batch = new MetaBatch();
        here.savepoint(batch);
        to.write(batch);
      }
    }
    there.rest();
    here.rest();
  }
}
