package io.tallystick.server.seal;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.ProvenTime;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.BlockTable;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.saved.StrandRow;
import io.tallystick.server.world.Governance;
import io.tallystick.server.world.JsnSet;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.storage.accumulator.Accumulator;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One strand's index: its accumulator, its blocks and its members, advanced by whole blocks. One
/// owner thread applies and saves; any thread reads what {@link #head} covers.
public final class StrandIndex {
  private final StrandId strand;
  private final LedgerGenesis ledger;
  private final Accumulator accumulator;
  private final BlockTable blocks;
  private final LeafBuilder leaves;
  private final List<IndexSlot<?>> slots;
  private final StoredBlocks stored;
  private final GovernanceChanges changes = new GovernanceChanges();
  private final Consumer<StrandIndex> onWaking;
  private final GovernanceWatch watch;
  private final StrandTimes times;
  private boolean governed;
  private final AtomicBoolean awake = new AtomicBoolean();
  private volatile boolean used;
  private volatile SealedHead head;

  /// @param leaves the owner thread's, shared by all strands of a shard
  /// @param indexes of the features that the shard carries out
  /// @param stored what a damaged index is filled again from
  /// @param onWaking told when its arrays are about to be used, the first time and after each
  ///   {@link #rest}
  /// @param watch told of journals that change who may do what
  /// @param times those below `head` are saved
  /// @param governed see {@link StrandRow}
  StrandIndex(
      StrandId strand,
      LedgerGenesis ledger,
      Accumulator accumulator,
      BlockTable blocks,
      LeafBuilder leaves,
      List<BlockIndexStore<?>> indexes,
      StoredBlocks stored,
      Consumer<StrandIndex> onWaking,
      GovernanceWatch watch,
      StrandTimes times,
      SealedHead head,
      boolean governed) {
    this.strand = strand;
    this.ledger = ledger;
    this.accumulator = accumulator;
    this.blocks = blocks;
    this.leaves = leaves;
    this.slots = indexes.stream().<IndexSlot<?>>map(IndexSlot::of).toList();
    this.stored = stored;
    this.onWaking = onWaking;
    this.watch = watch;
    this.times = times;
    this.head = head;
    this.governed = governed;
  }

  public StrandId strand() {
    return strand;
  }

  public LedgerGenesis ledger() {
    return ledger;
  }

  /// Its time journals by proven time.
  public StrandTimes times() {
    return times;
  }

  /// Whether its journals may have operations: that comes with genesis alone.
  public boolean hasState() {
    return ledger.params().stateParams() != null;
  }

  /// The newest sealed head, which may be answered from.
  public SealedHead head() {
    return head;
  }

  public Accumulator accumulator() {
    wake();
    return accumulator;
  }

  /// Before arrays are used.
  private void wake() {
    used = true;
    if (!awake.get() && awake.compareAndSet(false, true)) {
      onWaking.accept(this);
    }
  }

  /// Whether its arrays were used since the last time this was asked. For the owner.
  boolean wasUsed() {
    boolean was = used;
    used = false;
    return was;
  }

  /// Closes the arrays; the next use opens them again. For the owner, when nothing waits for a
  /// savepoint.
  void rest() {
    awake.set(false);
    accumulator.rest();
    blocks.rest();
  }

  /// The row of a sealed block.
  ///
  /// @throws CorruptStreamException if the row is damaged, or another log's: the newest one is not
  ///   the head's, or an older one ends behind it
  public BlockRow block(long height) throws IOException, CorruptStreamException {
    wake();
    BlockRow row = blocks.row(height);
    SealedHead sealed = head;
    boolean fits =
        height == sealed.height()
            ? row.sealHash().equals(sealed.blockHash()) && row.size() == sealed.size()
            : row.size() < sealed.size();
    if (!fits) {
      throw new CorruptStreamException(
          "block rows of " + strand,
          height * BlockRow.BYTES,
          String.format(
              Locale.ROOT,
              "block %d ends with size %d and hash %s, the head of block %d is size %d and %s",
              height,
              row.size(),
              row.sealHash(),
              sealed.height(),
              sealed.size(),
              sealed.blockHash()));
    }
    return row;
  }

  /// Height of the block that holds a sealed leaf.
  public long heightOf(long jsn) throws IOException, CorruptStreamException {
    wake();
    return blocks.heightOf(jsn, head.blocks());
  }

  /// The seal leaf of a block, rebuilt from its row.
  public Bytes sealLeaf(long height, BlockRow row) throws IOException, CorruptStreamException {
    Digest previous = height == 0 ? Digest.ZERO : block(height - 1).sealHash();
    return new SealLeaf(
            new Jsn(row.sealJsn()),
            row.timeMs(),
            height,
            previous,
            new Jsn(row.firstJsn()),
            row.journalRoot(),
            row.clueRoot(),
            row.stateRoot())
        .encode();
  }

  /// The index of a feature that the shard carries out, opened when first asked for.
  ///
  /// @param type that the feature's store makes
  public <I extends BlockIndex> I index(Feature feature, Class<I> type)
      throws IOException, CorruptStreamException {
    return type.cast(slot(feature).index(this));
  }

  /// The same if it was asked for before.
  public <I extends BlockIndex> Optional<I> opened(Feature feature, Class<I> type) {
    return Optional.ofNullable(type.cast(slot(feature).opened()));
  }

  private IndexSlot<?> slot(Feature feature) {
    IndexSlot<?> slot = slotOrNone(feature);
    if (slot == null) {
      throw new IllegalArgumentException("this shard has no index for feature " + feature);
    }
    return slot;
  }

  private @Nullable IndexSlot<?> slotOrNone(Feature feature) {
    for (IndexSlot<?> slot : slots) {
      if (slot.feature() == feature) {
        return slot;
      }
    }
    return null;
  }

  /// Rebuilds of an index that were begun. A read that fails while it changes may be repeated.
  public long rebuilds(Feature feature) {
    return slot(feature).rebuilds();
  }

  public boolean isRebuilding(Feature feature) {
    return slot(feature).isRebuilding();
  }

  /// Fills an index again, from the journals up to the head. For the owner; readers are refused
  /// meanwhile, but what they ask of a view alone.
  ///
  /// @param why what was found to be damaged, if anything was
  /// @throws CorruptStreamException if the journals do not make the roots that were sealed
  BlockIndex rebuild(Feature feature, @Nullable CorruptStreamException why)
      throws IOException, CorruptStreamException {
    BlockIndex filled = slot(feature).rebuild(this, stored, why);
    head = head.with(feature, filled.view());
    return filled;
  }

  /// Indexes and seals the next block. What it appends may be read once {@link #publish published}.
  BlockRow apply(BlockInfo block, FramePlace place) throws IOException, CorruptStreamException {
    SealedHead before = head;
    if (block.firstJsn() != before.size() || block.height() != before.blocks()) {
      throw new CorruptStreamException(
          place.toString(),
          block.offset(),
          String.format(
              Locale.ROOT,
              "block %d of %s starts at %d, want block %d at %d",
              block.height(),
              strand,
              block.firstJsn(),
              before.blocks(),
              before.size()));
    }
    wake();
    mendClues(block);
    byte[] hashes = leaves.leafHashes(block);
    accumulator.append(hashes, 0, block.journals());
    Digest journalRoot = accumulator.root();
    Digest clueRoot = rootAfter(Feature.CLUE_TRIE, block, place, hashes);
    Digest stateRoot = rootAfter(Feature.STATE_FOREST, block, place, hashes);
    long sealJsn = block.sealJsn();
    SealLeaf seal =
        new SealLeaf(
            new Jsn(sealJsn),
            block.timeMs(),
            block.height(),
            before.blockHash(),
            new Jsn(block.firstJsn()),
            journalRoot,
            clueRoot,
            stateRoot);
    Digest sealHash = TreeHasher.leafHash(seal.encode());
    accumulator.append(sealHash);
    return new BlockRow(
        block.firstJsn(),
        sealJsn,
        block.timeMs(),
        place.frame(),
        place.number(),
        block.offset(),
        place.payloadOffset(),
        sealHash,
        journalRoot,
        clueRoot,
        stateRoot,
        accumulator.root(),
        null);
  }

  /// Fills damaged clues again if an occult of the block names one: later they hold the block, too.
  private void mendClues(BlockInfo block) throws IOException, CorruptStreamException {
    for (int i = 0; i < block.journals(); i++) {
      if (block.governance(i)) {
        try {
          var _ = targets(RequestHeader.decode(block.header(i)), block.firstJsn());
        } catch (CorruptStreamException damage) {
          var _ = rebuild(Feature.CLUE_TRIE, damage);
        } catch (MalformedException e) {
          throw new CorruptStreamException(
              strand.toString(), block.firstJsn() + i, "governance journal: " + e.getMessage());
        }
      }
    }
  }

  /// The root of a feature's index in the seal of a block; that of the seal before if the feature
  /// is off, or the block changes nothing.
  private Digest rootAfter(Feature feature, BlockInfo block, FramePlace place, byte[] leafHashes)
      throws IOException, CorruptStreamException {
    IndexSlot<?> slot = slotOrNone(feature);
    boolean on =
        slot != null
            && !block.genesis()
            && head.governance().features().isOn(feature, block.height());
    if (slot == null || !on || !slot.isChangedBy(block)) {
      return head.index(feature).root();
    }
    try {
      return apply(feature, slot.index(this), block, place, leafHashes);
    } catch (CorruptStreamException damage) {
      return apply(feature, rebuild(feature, damage), block, place, leafHashes);
    }
  }

  private Digest apply(
      Feature feature, BlockIndex index, BlockInfo block, FramePlace place, byte[] leafHashes)
      throws IOException, CorruptStreamException {
    if (head.index(feature).view() == null) {
      head = head.with(feature, index.view()); // from now on the newest view is not this head's
    }
    return index.apply(block, place, leafHashes);
  }

  private SealedIndex sealed(Feature feature, Digest root) {
    IndexSlot<?> slot = slotOrNone(feature);
    BlockIndex open = slot == null ? null : slot.opened();
    return new SealedIndex(root, open == null ? null : open.view());
  }

  /// Adds the row of the block just applied and lets readers see it.
  void publish(BlockInfo block, BlockRow row) throws IOException, CorruptStreamException {
    Governance governance = governanceAfter(block);
    blocks.append(row, head.blockHash());
    head =
        new SealedHead(
            row.size(),
            block.height() + 1,
            row.timeMs(),
            row.sealHash(),
            row.headRoot(),
            sealed(Feature.CLUE_TRIE, row.clueRoot()),
            sealed(Feature.STATE_FOREST, row.stateRoot()),
            governance);
  }

  private Governance governanceAfter(BlockInfo block) throws IOException, CorruptStreamException {
    Governance governance = head.governance();
    for (int i = 0; i < block.journals(); i++) {
      if (block.governance(i)) {
        governance = governanceAfter(governance, block, i);
        governed = true;
      }
    }
    return governance;
  }

  private Governance governanceAfter(Governance before, BlockInfo block, int journal)
      throws IOException, CorruptStreamException {
    long jsn = block.firstJsn() + journal;
    try {
      RequestHeader header = RequestHeader.decode(block.header(journal));
      JsnSet targets = targets(header, block.firstJsn());
      Governance after = before.after(header, targets, jsn, block.timeMs(), block.height());
      watch.sealed(header);
      changes.note(before, after, header, targets, jsn);
      if (header.extension() instanceof Extension.Time) {
        times.sealed(new ProvenTime(jsn, TimeRequest.genTimeMs(header)));
      }
      return after;
    } catch (MalformedException | RequestRejectedException e) {
      throw new CorruptStreamException(
          strand.toString(), jsn, "committed governance journal does not apply: " + e.getMessage());
    }
  }

  /// The journals that an occult's target names, all below its block; null for any other journal.
  private @Nullable JsnSet targets(RequestHeader header, long end)
      throws IOException, CorruptStreamException {
    return header.extension() instanceof Extension.Occult occult
        ? OccultTargets.find(this, occult.target(), end)
        : null;
  }

  /// Whether a removal waits for a savepoint, before which nothing of it may be erased.
  public boolean hasNewRemovals() {
    return changes.hasRemovals();
  }

  /// Adds everything a restore needs to `batch`.
  void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    accumulator.savepoint(batch);
    blocks.savepoint(batch);
    SealedHead saved = head;
    BlockRow last = blocks.row(saved.height());
    batch.put(StrandRow.key(strand), new StrandRow(saved.blocks(), governed, last).encode(strand));
    changes.savepoint(batch, strand.ledger(), saved.governance());
    times.savepoint(batch);
    for (IndexSlot<?> slot : slots) {
      BlockIndex open = slot.opened();
      if (open != null) {
        open.savepoint(batch);
      }
    }
  }

  /// The batch of the last savepoint was written.
  void saved() {
    times.saved();
    for (IndexSlot<?> slot : slots) {
      BlockIndex open = slot.opened();
      if (open != null) {
        open.saved();
      }
    }
  }
}
