package io.tallystick.server.index;

import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.Member;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.world.LedgerState;
import io.tallystick.server.world.MemberTable;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.accumulator.Accumulator;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One strand's index: its accumulator, its blocks and its members, advanced by whole blocks. One
/// owner thread applies and saves; any thread reads what {@link #head} covers.
public final class StrandIndex {
  private final StrandId strand;
  private final LedgerState ledger;
  private final Accumulator accumulator;
  private final BlockTable blocks;
  private final LeafBuilder leaves;
  private final Map<Digest, Member> changedMembers = new HashMap<>();
  private volatile SealedHead head;
  private volatile @Nullable ProvenRoot proven;

  /// The root of an older tree that a head was proven to extend; so is every later head.
  record ProvenRoot(long size, JournalRoot root) {}

  /// @param leaves the owner thread's, shared by all strands of a shard
  StrandIndex(
      StrandId strand,
      LedgerState ledger,
      Accumulator accumulator,
      BlockTable blocks,
      LeafBuilder leaves,
      SealedHead head) {
    this.strand = strand;
    this.ledger = ledger;
    this.accumulator = accumulator;
    this.blocks = blocks;
    this.leaves = leaves;
    this.head = head;
  }

  public StrandId strand() {
    return strand;
  }

  public LedgerState ledger() {
    return ledger;
  }

  /// What is sealed and may be answered from.
  public SealedHead head() {
    return head;
  }

  /// The older tree that was asked for last: clients ask for many proofs in one.
  @Nullable ProvenRoot proven() {
    return proven;
  }

  void proven(ProvenRoot older) {
    proven = older;
  }

  public Accumulator accumulator() {
    return accumulator;
  }

  /// The row of a sealed block.
  public BlockRow block(long height) throws IOException, CorruptStreamException {
    return blocks.row(height);
  }

  /// Height of the block that holds a sealed leaf.
  public long heightOf(long jsn) throws IOException, CorruptStreamException {
    return blocks.heightOf(jsn, head.blocks());
  }

  /// The seal leaf of a block, rebuilt from its row.
  public Bytes sealLeaf(long height, BlockRow row) throws IOException, CorruptStreamException {
    Digest previous = height == 0 ? Digest.ZERO : block(height - 1).sealHash();
    return sealLeaf(
        height, row.sealJsn(), row.timeMs(), previous, row.firstJsn(), row.journalRoot());
  }

  private static Bytes sealLeaf(
      long height, long jsn, long timeMs, Digest previous, long firstJsn, Digest journalRoot) {
    return SealLeaf.of(new Jsn(jsn), timeMs, height, previous, new Jsn(firstJsn), journalRoot)
        .encode();
  }

  /// Indexes and seals the next block. What it appends may be read once {@link #publish published}.
  BlockRow apply(BlockInfo block, FramePlace place) throws IOException, CorruptStreamException {
    SealedHead before = head;
    if (block.firstJsn() != before.size() || block.height() != before.blocks()) {
      throw new CorruptStreamException(
          place.toString(),
          block.offset(),
          "block %d of %s starts at %d, want block %d at %d"
              .formatted(block.height(), strand, block.firstJsn(), before.blocks(), before.size()));
    }
    byte[] hashes = leaves.leafHashes(block);
    accumulator.append(hashes, 0, block.journals());
    Digest journalRoot = accumulator.root();
    long sealJsn = block.sealJsn();
    Bytes seal =
        sealLeaf(
            block.height(),
            sealJsn,
            block.timeMs(),
            before.blockHash(),
            block.firstJsn(),
            journalRoot);
    Digest sealHash = TreeHasher.leafHash(seal);
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
        SealLeaf.EMPTY_CLUE_ROOT,
        SealLeaf.EMPTY_STATE_ROOT,
        accumulator.root(),
        null);
  }

  /// Adds the row of the block just applied and lets readers see it.
  void publish(BlockInfo block, BlockRow row) throws IOException, CorruptStreamException {
    MemberTable members = membersAfter(block);
    blocks.append(row);
    head =
        new SealedHead(
            row.size(), block.height() + 1, row.timeMs(), row.sealHash(), row.headRoot(), members);
  }

  private MemberTable membersAfter(BlockInfo block) throws CorruptStreamException {
    MemberTable members = head.members();
    for (int i = 0; i < block.journals(); i++) {
      if (block.governance(i)) {
        members = membersAfter(members, block, i);
      }
    }
    return members;
  }

  private MemberTable membersAfter(MemberTable members, BlockInfo block, int journal)
      throws CorruptStreamException {
    long jsn = block.firstJsn() + journal;
    try {
      RequestHeader header = RequestHeader.decode(block.header(journal));
      MemberTable after = members.after(header, jsn);
      for (Member member : after.all()) {
        if (member.addedJsn() == jsn || member.revokedJsn() == jsn) {
          changedMembers.put(member.key().kid(), member);
        }
      }
      return after;
    } catch (MalformedException | RequestRejectedException e) {
      throw new CorruptStreamException(
          strand.toString(), jsn, "committed governance journal does not apply: " + e.getMessage());
    }
  }

  /// Adds everything a restore needs to `batch`.
  void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    accumulator.savepoint(batch);
    blocks.savepoint(batch);
    SealedHead saved = head;
    batch.put(StrandRow.key(strand), new StrandRow(saved.size(), saved.blocks()).encode());
    for (Map.Entry<Digest, Member> changed : changedMembers.entrySet()) {
      batch.put(
          WorldRows.memberKey(strand.ledger(), changed.getKey()),
          WorldRows.encode(changed.getValue()));
    }
    changedMembers.clear();
  }
}
