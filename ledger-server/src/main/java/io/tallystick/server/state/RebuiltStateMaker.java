package io.tallystick.server.state;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.ReadValue;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.JournalCheck;
import io.tallystick.server.seal.LeafBuilder;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.state.StateValue;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.ScratchForest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Makes the state of a strand as of a block in a folder of its own, from the journals alone, or
/// what a purge left and the journals behind it. No version that the strand keeps is read.
///
/// @param data in which the images of purges lie
/// @param to empty; what is made is not whole before it has a {@link RebuiltHead}
public record RebuiltStateMaker(
    StrandIndex strand,
    LogReader log,
    StateImages images,
    Evidence evidence,
    BatchHasher hasher,
    Disk data,
    Disk to) {
  private static final String SCRATCH = "scratch.";

  /// How many damaged journals are named.
  private static final int DAMAGED_MAX = 100;

  /// Hears how far it is.
  @FunctionalInterface
  public interface Progress {
    void isAt(long leaves, long all);
  }

  /// What was made.
  ///
  /// @param size of the tree that the block's head is over
  /// @param entries of all partitions, tombstones and replaced ones included
  /// @param values that the folder holds
  /// @param erased values that were erased
  /// @param damaged values whose journals are damaged
  /// @param damagedJsns the first of these journals, in order of keys
  public record Made(
      StrandId strand,
      long height,
      long size,
      Digest stateRoot,
      long entries,
      long values,
      long erased,
      long damaged,
      List<Long> damagedJsns) {
    public Made {
      damagedJsns = List.copyOf(damagedJsns);
    }
  }

  /// @throws RequestRejectedException `FEATURE_NOT_ENABLED`, `OUT_OF_RANGE`; `PRUNED` below a purge
  public static void check(StrandIndex strand, long height) throws RequestRejectedException {
    StrandVersions.checkOn(strand);
    ProvenStateReader.checkExists(strand.head(), height);
    ProvenStateReader.checkKept(strand.head(), height);
  }

  /// Durable on return.
  ///
  /// @param height that {@link #check} has passed
  /// @throws CorruptStreamException if the journals are not those of the tree, or make another root
  ///   than was sealed
  public Made make(long height, Progress progress)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandId id = strand.strand();
    BlockRow row = strand.block(height);
    Bytes partitions;
    CopiedCounts counts = new CopiedCounts();
    long entries;
    try (ScratchForest state =
        ScratchForest.open(to, SCRATCH, "", id, StateStores.params(strand), hasher)) {
      fill(state, height, row.size(), progress);
      partitions = state.writeFiles(to);
      entries = state.entryCount();
      copyValues(state, height, counts);
    }
    to.forceDirectory("");
    new RebuiltHead(
            id,
            evidence.block(strand, height, row).headReceipt(),
            evidence.lastSeal(strand, height, row),
            partitions)
        .write(to);
    return new Made(
        id,
        height,
        row.size(),
        row.stateRoot(),
        entries,
        counts.values,
        counts.erased,
        counts.damaged,
        counts.damagedJsns);
  }

  private void fill(ScratchForest state, long height, long size, Progress progress)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandId id = strand.strand();
    Optional<Purge> purge = strand.head().governance().removals().lastPurge();
    long from = 0;
    if (purge.isPresent()) {
      from = purge.get().height();
      String image = StateImages.name(id, from, StateImages.STATE);
      StateImages.checkHeight(image, state.load(data, image), from);
    }
    StateReplay.checkSealed(strand, from, state);
    LeafBuilder leaves = new LeafBuilder(hasher);
    StateReplay.run(
        state,
        strand,
        from,
        height,
        log,
        (row, block) -> {
          byte[] hashes = leaves.leafHashes(block);
          JournalCheck.checkLeaves(strand.accumulator(), id, row, hashes);
          progress.isAt(row.size(), size);
        });
  }

  private void copyValues(ScratchForest state, long height, CopiedCounts counts)
      throws IOException, CorruptStreamException {
    try (ValueCopies.Writer copies =
            new ValueCopies.Writer(to, RebuiltState.VALUES, strand.strand(), height);
        ForestReader reader = state.reader()) {
      ValueCopying.run(
          reader,
          _ -> true,
          new ValueReader(log, images).of(strand),
          (entry, read) -> counts.add(entry, read, copies));
      copies.finish();
    }
  }

  /// What became of the values.
  private static final class CopiedCounts {
    private final List<Long> damagedJsns = new ArrayList<>();
    private long values;
    private long erased;
    private long damaged;

    /// The place of a damaged one is filled with zeros, which fit no commitment.
    void add(StateEntry entry, ReadValue read, ValueCopies.Writer copies) throws IOException {
      switch (read.state()) {
        case PRESENT -> {
          copies.add(entry, read.value().orElseThrow());
          values++;
        }
        case ERASED -> erased++;
        case DAMAGED -> {
          Bytes zeros = Bytes.wrap(new byte[Math.toIntExact(entry.valueSizeBytes())]);
          copies.add(entry, new StateValue(Digest.ZERO, zeros));
          damaged++;
          long jsn = entry.jsn().value();
          if (damagedJsns.size() < DAMAGED_MAX && !damagedJsns.contains(jsn)) {
            damagedJsns.add(jsn);
          }
        }
        case NONE -> throw new AssertionError("a value of " + entry.key() + " was asked for");
      }
    }
  }
}
