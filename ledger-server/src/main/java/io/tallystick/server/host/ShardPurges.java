package io.tallystick.server.host;

import io.tallystick.hashing.BatchHasher;
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
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.Removals;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/// The purges of a shard's strands. Thread-safe.
final class ShardPurges implements LedgerPurges {
  private final Shard shard;
  private final StrandReads strands;
  private final Disk disk;
  private final BatchHasher hasher;

  ShardPurges(Shard shard, StrandReads strands, Disk disk, BatchHasher hasher) {
    this.shard = shard;
    this.strands = strands;
    this.disk = disk;
    this.hasher = hasher;
  }

  private SnapshotRows rows() {
    return shard.tables().snapshots();
  }

  /// One at a time: each reads much, and holds what it makes in memory.
  @Override
  public synchronized Bytes prepare(StrandId strand, long height, List<Digest> absent)
      throws RequestRejectedException {
    return strands.read(
        strand,
        index -> {
          checkFeatures(index);
          checkAnchored(index, height);
          return new SnapshotMaker(
                  rows(), shard.removals().states(), shard.removals().still(), disk, hasher)
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

  /// As things are: what is refused then, a later time journal may allow.
  private static void checkAnchored(StrandIndex index, long height)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SealedHead head = index.head();
    if (height > 0 && height < head.blocks()) {
      Removals.checkAnchored(index.block(height).size(), head.governance().newestTime());
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
                  rows().named(strand.ledger(), purge).snapshot().encode(),
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
          for (Bytes entry : rows().named(strand.ledger(), last(index)).window()) {
            entries.writeBytes(entry.toArray());
          }
          return Bytes.wrap(entries.toByteArray());
        });
  }

  @Override
  public FilePart clues(StrandId strand, long firstKept, long offset, int bytesMax)
      throws RequestRejectedException {
    return part(
        strand,
        firstKept,
        offset,
        bytesMax,
        "no journal below %d could name a clue",
        purge -> {
          shard.removals().states().checkThere(strand, purge.height(), SnapshotClues.SUFFIX);
          return SnapshotClues.open(disk, strand, purge.height());
        });
  }

  @Override
  public FilePart state(StrandId strand, long firstKept, long offset, int bytesMax)
      throws RequestRejectedException {
    return part(
        strand,
        firstKept,
        offset,
        bytesMax,
        "no journal below %d has left anything in a state",
        purge -> shard.removals().states().snapshot(strand, purge.height()));
  }

  private interface PurgeFile {
    /// @return empty if the purge has none
    Optional<DiskFile> open(Purge purge) throws IOException;
  }

  /// @param missing why there is no file, with %d for firstKept
  private FilePart part(
      StrandId strand, long firstKept, long offset, int bytesMax, String missing, PurgeFile file)
      throws RequestRejectedException {
    return strands.read(
        strand,
        index -> {
          Purge purge = last(index);
          if (firstKept != 0 && firstKept != purge.firstKept()) {
            throw outOfRange(
                String.format(Locale.ROOT, "the log begins at %d now", purge.firstKept()));
          }
          try (DiskFile open =
              file.open(purge)
                  .orElseThrow(
                      () -> outOfRange(String.format(Locale.ROOT, missing, purge.firstKept())))) {
            return part(open, purge.firstKept(), offset, bytesMax);
          }
        });
  }

  private static FilePart part(DiskFile file, long firstKept, long offset, int bytesMax)
      throws IOException, RequestRejectedException {
    long bytes = file.size();
    if (offset < 0 || offset > bytes) {
      throw outOfRange(String.format(Locale.ROOT, "offset %d, want 0 to %d", offset, bytes));
    }
    ByteBuffer part = ByteBuffer.allocate((int) Math.min(bytesMax, bytes - offset));
    if (file.read(offset, part) != part.capacity()) {
      throw new EOFException(file.name() + " has become shorter");
    }
    return new FilePart(firstKept, bytes, Bytes.wrap(part.array()));
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
