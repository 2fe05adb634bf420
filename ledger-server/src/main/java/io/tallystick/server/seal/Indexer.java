package io.tallystick.server.seal;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Feature;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.frame.Guard;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.BlockTable;
import io.tallystick.server.saved.ReplayRows;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.saved.StrandRow;
import io.tallystick.server.saved.TimeRows;
import io.tallystick.server.world.Governance;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.accumulator.Accumulator;
import io.tallystick.storage.accumulator.NodeCache;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Advances every strand of a shard by whole frames. One owner thread applies and saves; {@link
/// #strand} may be asked from any. Source: `docs/architecture.md`, "Index".
public final class Indexer {
  private static final int OPENING_LOCKS = 64;

  private final MetaStore meta;
  private final ArrayStore arrays;
  private final BatchHasher hasher;
  private final HeadSigner signer;
  private final LedgerSource ledgers;
  private final ReplayRows replays;
  private final List<BlockIndexStore<?>> indexes;
  private final StoredBlocks stored;
  private final GovernanceWatch governed;
  private final TimeRows times;
  private final Object[] opening = new Object[OPENING_LOCKS];
  private final LeafBuilder leaves;
  private final RecentHeads recentHeads = new RecentHeads();
  private final NodeCache nodes = new NodeCache();
  private final Map<StrandId, StrandIndex> strands = new ConcurrentHashMap<>();
  private final GuardedBlocks guards = new GuardedBlocks();
  // In the order they came: the same frames give the same disk operations.
  private final Set<StrandIndex> dirty = new LinkedHashSet<>();
  private final Queue<StrandIndex> awake = new ConcurrentLinkedQueue<>();
  private final AtomicInteger awakeCount = new AtomicInteger();
  private final List<StrandIndex> unwritten = new ArrayList<>();
  private final Set<LedgerId> founded = new LinkedHashSet<>();

  /// The ledgers that the shard holds; null for any other.
  @FunctionalInterface
  public interface LedgerSource {
    @Nullable LedgerGenesis ledger(LedgerId id);
  }

  public Indexer(
      MetaStore meta,
      ArrayStore arrays,
      BatchHasher hasher,
      HeadSigner signer,
      LedgerSource ledgers,
      ReplayRows replays,
      List<BlockIndexStore<?>> indexes,
      StoredBlocks stored,
      GovernanceWatch governed) {
    this.meta = meta;
    this.arrays = arrays;
    this.hasher = hasher;
    this.signer = signer;
    this.ledgers = ledgers;
    this.replays = replays;
    this.indexes = List.copyOf(indexes);
    this.stored = stored;
    this.governed = governed;
    this.times = new TimeRows(meta);
    this.leaves = new LeafBuilder(hasher);
    Arrays.setAll(opening, _ -> new Object());
  }

  /// The index of a strand whose ledger this shard holds, opened from the last savepoint if need
  /// be.
  public StrandIndex strand(StrandId strand) throws IOException, CorruptStreamException {
    StrandIndex open = strands.get(strand);
    return open != null ? open : openOnce(strand);
  }

  /// The strands that were asked for so far. Any thread.
  public List<StrandIndex> openStrands() {
    return List.copyOf(strands.values());
  }

  /// Each opens once, and those of one lock one after the other: after a start all are asked for at
  /// a time.
  private StrandIndex openOnce(StrandId strand) throws IOException, CorruptStreamException {
    synchronized (opening[Math.floorMod(strand.hashCode(), opening.length)]) {
      StrandIndex open = strands.get(strand);
      if (open == null) {
        open = openStrand(strand);
        strands.put(strand, open);
      }
      return open;
    }
  }

  private StrandIndex openStrand(StrandId strand) throws IOException, CorruptStreamException {
    LedgerGenesis ledger = ledgers.ledger(strand.ledger());
    if (ledger == null) {
      throw new CorruptStreamException("index", 0, "no ledger " + strand.ledger() + " here");
    }
    Accumulator accumulator = Accumulator.restore(arrays, meta, strand, hasher, nodes);
    StrandRow saved = SavedWorld.strand(meta, strand);
    BlockTable blocks = new BlockTable(arrays, strand, saved == null ? 0 : saved.blocks());
    SealedHead head = headOf(saved, SavedWorld.governance(meta, ledger, saved));
    checkAgree(strand, accumulator, head);
    return new StrandIndex(
        strand,
        ledger,
        accumulator,
        blocks,
        leaves,
        indexes,
        stored,
        this::woken,
        governed,
        new StrandTimes(strand, times),
        head,
        saved != null && saved.governed());
  }

  private void woken(StrandIndex strand) {
    awake.add(strand);
    awakeCount.incrementAndGet();
  }

  /// Closes the arrays of strands that were not used for a while, while those of more than `max`
  /// are open. For the owner.
  public void rest(int max) {
    for (int tries = awakeCount.get(); tries > 0 && awakeCount.get() > max; tries--) {
      StrandIndex oldest = awake.remove();
      if (dirty.contains(oldest) || oldest.wasUsed()) {
        awake.add(oldest);
      } else {
        awakeCount.decrementAndGet();
        oldest.rest();
      }
    }
  }

  /// A block row of another strand has a good checksum: the tree must say the same as the last one.
  private static void checkAgree(StrandId strand, Accumulator accumulator, SealedHead head)
      throws CorruptStreamException {
    if (accumulator.size() != head.size()) {
      throw new CorruptStreamException(
          "index of " + strand,
          head.size(),
          String.format(
              Locale.ROOT,
              "accumulator holds %d leaves, blocks end at %d",
              accumulator.size(),
              head.size()));
    }
    if (head.size() > 0 && !accumulator.root().equals(head.root())) {
      throw new CorruptStreamException(
          "index of " + strand,
          head.size(),
          String.format(
              Locale.ROOT,
              "accumulator has root %s, the last block %s",
              accumulator.root(),
              head.root()));
    }
  }

  private static SealedHead headOf(@Nullable StrandRow saved, Governance governance) {
    if (saved == null) {
      return SealedHead.empty(governance);
    }
    BlockRow last = saved.last();
    return new SealedHead(
        saved.size(),
        saved.blocks(),
        last.timeMs(),
        last.sealHash(),
        last.headRoot(),
        new SealedIndex(last.clueRoot(), null),
        new SealedIndex(last.stateRoot(), null),
        governance);
  }

  /// Indexes a durable frame.
  ///
  /// @param live whether heads are signed now; while replaying they are signed when asked for, as
  ///   are those of a key that is not known, and never before the whole tail has been found to
  ///   agree with its guards
  /// @throws CorruptStreamException if the frame does not follow what is indexed, or a guard shows
  ///   that replay would seal another block than was sealed before
  public List<SealedBlock> apply(CommitFrame frame, FramePlace place, boolean live)
      throws IOException, CorruptStreamException {
    for (Guard guard : frame.guards()) {
      check(guard, place);
    }
    List<SealedBlock> sealed = new ArrayList<>(frame.blocks().size());
    for (BlockInfo block : frame.blocks()) {
      if (block.genesis()) {
        founded.add(block.strand().ledger());
      }
      sealed.add(applyBlock(strand(block.strand()), block, place, live));
      replays.add(block);
    }
    return sealed;
  }

  private SealedBlock applyBlock(
      StrandIndex strand, BlockInfo block, FramePlace place, boolean live)
      throws IOException, CorruptStreamException {
    dirty.add(strand);
    guards.grows(strand.strand(), strand.head().blocks());
    BlockRow row = strand.apply(block, place);
    if (live) {
      // The keys before this block: it is the last one that they sign if it rotates them.
      ServiceKeys keys = strand.head().members().service().keys();
      Optional<Bytes> signature = signer.signNow(keys, strand.strand(), row.size(), row.headRoot());
      if (signature.isPresent()) {
        row = row.signed(signature.get()); // else when it is asked for
      }
    }
    strand.publish(block, row);
    guards.sealed(new Guard(strand.strand(), block.height(), row.sealHash()));
    return new SealedBlock(strand, block.height(), row);
  }

  private void check(Guard guard, FramePlace place) throws IOException, CorruptStreamException {
    StrandIndex strand = strand(guard.strand());
    Digest sealed = sealed(strand, guard.height());
    if (!Objects.equals(sealed, guard.blockHash())) {
      throw new CorruptStreamException(
          place.toString(),
          guard.height(),
          String.format(
              Locale.ROOT,
              "fork guard: block %d of %s was sealed as %s, replay seals %s",
              guard.height(),
              guard.strand(),
              guard.blockHash(),
              sealed == null ? "no such block" : sealed));
    }
  }

  private static @Nullable Digest sealed(StrandIndex strand, long height)
      throws IOException, CorruptStreamException {
    SealedHead head = strand.head();
    if (height >= head.blocks()) {
      return null;
    }
    return height == head.height() ? head.blockHash() : strand.block(height).sealHash();
  }

  /// Guards for the next frame: sealed blocks that no frame has named yet, at most `max`. Any
  /// thread.
  public List<Guard> unguarded(int max) {
    return guards.waiting(max);
  }

  public boolean hasUnguarded() {
    return guards.anyWaiting();
  }

  /// A frame with these guards is durable.
  public void guarded(List<Guard> named) {
    guards.named(named);
  }

  /// Reads of which blocks the savepoint knows no guard. For the owner, before it applies anything.
  public void restoreGuards() throws IOException, CorruptStreamException {
    guards.restore(meta);
  }

  /// How many blocks of a strand, from the first on, frames behind them name. Any thread.
  public long guardedBlocks(StrandIndex strand) {
    return guards.blocks(strand.strand(), strand.head().blocks());
  }

  /// Adds to `batch` everything that recovery needs to start behind `position`.
  public void savepoint(MetaBatch batch, StreamPosition position, long epoch, long timeMs)
      throws IOException, CorruptStreamException {
    for (LedgerId id : founded) {
      LedgerGenesis ledger = Objects.requireNonNull(ledgers.ledger(id));
      batch.put(WorldRows.ledgerKey(id), WorldRows.encode(ledger));
      SavedWorld.putOwners(batch, ledger);
    }
    for (StrandIndex strand : dirty) {
      strand.savepoint(batch);
    }
    for (BlockIndexStore<?> index : indexes) {
      index.savepoint(batch);
    }
    unwritten.addAll(dirty);
    replays.savepoint(batch, position.number(), timeMs);
    guards.savepoint(batch);
    batch.put(SavepointRow.KEY, new SavepointRow(position, epoch, timeMs).encode());
    founded.clear();
    dirty.clear();
  }

  /// The batch of the last savepoint was written.
  public void saved() throws IOException {
    unwritten.forEach(StrandIndex::saved);
    unwritten.clear();
    for (BlockIndexStore<?> index : indexes) {
      index.saved();
    }
  }

  /// Fills an index of a strand again and saves it, and nothing else. For the owner, while nothing
  /// waits for a savepoint.
  ///
  /// @throws CorruptStreamException if the journals do not make the roots that were sealed
  public void rebuild(Feature feature, StrandId strand) throws IOException, CorruptStreamException {
    if (isDirty()) {
      throw new IllegalStateException("blocks wait for a savepoint");
    }
    BlockIndex filled = strand(strand).rebuild(feature, null);
    MetaBatch batch = new MetaBatch();
    filled.savepoint(batch);
    for (BlockIndexStore<?> index : indexes) {
      if (index.feature() == feature) {
        index.savepoint(batch);
      }
    }
    meta.write(batch);
    filled.saved();
    for (BlockIndexStore<?> index : indexes) {
      index.saved();
    }
  }

  /// Whether a removal waits for a savepoint, before which nothing of it is erased. For the owner.
  public boolean hasUnsavedRemoval() {
    return dirty.stream().anyMatch(StrandIndex::hasNewRemovals);
  }

  /// Whether memory asks for a savepoint.
  public boolean savepointDue() {
    return indexes.stream().anyMatch(BlockIndexStore::savepointDue);
  }

  /// Whether a savepoint has something to do though no block came since the last.
  public boolean hasUpkeep() {
    return indexes.stream().anyMatch(BlockIndexStore::hasUpkeep);
  }

  /// Does a piece of what follows savepoints. For the owner.
  ///
  /// @return whether there is more to be done at once
  public boolean upkeep() throws IOException {
    boolean more = false;
    for (BlockIndexStore<?> index : indexes) {
      more |= index.upkeep();
    }
    return more;
  }

  /// Whether a savepoint would write much that the next one writes again.
  public boolean savepointIsCostly() {
    return indexes.stream().anyMatch(BlockIndexStore::savepointIsCostly);
  }

  /// Heads that pages were proven under, for the pages behind them.
  public RecentHeads recentHeads() {
    return recentHeads;
  }

  /// Strands whose arrays are open.
  public int awakeStrands() {
    return awakeCount.get();
  }

  /// Strands that a savepoint would write.
  public int dirtyStrands() {
    return dirty.size();
  }

  public boolean isDirty() {
    return !dirty.isEmpty();
  }

  public HeadSigner signer() {
    return signer;
  }
}
