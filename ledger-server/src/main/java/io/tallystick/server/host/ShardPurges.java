package io.tallystick.server.host;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.JournalView;
import io.tallystick.node.LedgerPurges;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.server.clue.SnapshotClues;
import io.tallystick.server.removal.SnapshotMaker;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.disk.Disk;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Objects;

/// The purges of a shard's strands. Thread-safe.
final class ShardPurges implements LedgerPurges {
  private final Shard shard;
  private final StrandReads strands;
  private final SnapshotRows rows;
  private final Disk disk;
  private final BatchHasher hasher;

  ShardPurges(Shard shard, StrandReads strands, Disk disk, BatchHasher hasher) {
    this.shard = shard;
    this.strands = strands;
    this.rows = shard.removals().snapshots();
    this.disk = disk;
    this.hasher = hasher;
  }

  /// One at a time: each reads much, and holds what it makes in memory.
  @Override
  public synchronized Bytes prepare(StrandId strand, long height, List<Digest> absent)
      throws RequestRejectedException {
    return strands.read(
        strand,
        index -> {
          checkFeatures(index);
          return new SnapshotMaker(rows, shard.removals().states(), disk, hasher)
              .make(index, shard.log(), height, absent)
              .snapshot()
              .encode();
        });
  }

  private static void checkFeatures(StrandIndex index) throws RequestRejectedException {
    if (index.ledger().params().features().contains(Feature.PERMANENT)) {
      throw new RequestRejectedException(
          RejectionCode.FEATURE_FORBIDS, "a permanent ledger is never purged");
    }
  }

  @Override
  public Bytes pseudoGenesis(StrandId strand) throws RequestRejectedException {
    return strands.read(
        strand,
        index -> {
          Purge purge = last(index);
          JournalView journal = shard.log().journal(index, purge.jsn(), false);
          return new PseudoGenesis(
                  rows.named(strand.ledger(), purge).snapshot().encode(),
                  shard.evidence().receiptFile(index, journal),
                  Objects.requireNonNull(journal.attestation()))
              .encode();
        });
  }

  @Override
  public Bytes window(StrandId strand) throws RequestRejectedException {
    return strands.read(
        strand,
        index -> {
          ByteArrayOutputStream entries = new ByteArrayOutputStream();
          for (Bytes entry : rows.named(strand.ledger(), last(index)).window()) {
            entries.writeBytes(entry.toArray());
          }
          return Bytes.wrap(entries.toByteArray());
        });
  }

  @Override
  public CluePart clues(StrandId strand, long firstKept, long offset, int bytesMax)
      throws RequestRejectedException {
    return strands.read(
        strand,
        index -> {
          Purge purge = last(index);
          if (firstKept != 0 && firstKept != purge.firstKept()) {
            throw outOfRange("the log begins at %d now".formatted(purge.firstKept()));
          }
          long bytes = SnapshotClues.bytes(disk, strand, purge.height());
          if (bytes < 0) {
            throw outOfRange("no journal below " + purge.firstKept() + " could name a clue");
          }
          if (offset < 0 || offset > bytes) {
            throw outOfRange("offset %d, want 0 to %d".formatted(offset, bytes));
          }
          byte[] part = SnapshotClues.read(disk, strand, purge.height(), offset, bytesMax);
          return new CluePart(purge.firstKept(), bytes, Bytes.wrap(part));
        });
  }

  private static RequestRejectedException outOfRange(String detail) {
    return new RequestRejectedException(RejectionCode.OUT_OF_RANGE, detail);
  }

  private static Purge last(StrandIndex index) throws RequestRejectedException {
    return index
        .head()
        .governance()
        .removals()
        .lastPurge()
        .orElseThrow(() -> outOfRange("nothing of this ledger was purged"));
  }
}
