package io.tallystick.server.host;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.evidence.KeyChain;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.Appending;
import io.tallystick.node.BlockView;
import io.tallystick.node.BundlePiece;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.Erasure;
import io.tallystick.node.Founding;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.JournalView;
import io.tallystick.node.KeptAnchors;
import io.tallystick.node.KeptState;
import io.tallystick.node.KeptStates;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerPurges;
import io.tallystick.node.LedgerView;
import io.tallystick.node.LineageQuery;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.node.MembersView;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.OpenProposals;
import io.tallystick.node.ProvenClue;
import io.tallystick.node.ProvenJournal;
import io.tallystick.node.ProvenLeaf;
import io.tallystick.node.ProvenLineage;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.StateHistory;
import io.tallystick.node.StatePruning;
import io.tallystick.node.StateQuery;
import io.tallystick.node.TimeJournals;
import io.tallystick.server.read.KeyChains;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.server.shard.ShardThreads;
import io.tallystick.server.state.StrandVersions;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.tile.TileBundle;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A node that hosts one shard.
public final class ShardNode implements LedgerNode, KeptStates {
  private final ShardThreads threads;
  private final Shard shard;
  private final ServiceIdentity identity;
  private final Foundings foundings;
  private final StrandReads strands;
  private final LedgerList ledgers;
  private final TimeJournals times;
  private final LedgerPurges purges;
  private final RemovalReads removals;

  private ShardNode(
      ShardThreads threads, HeadSigner signer, ShardStorage storage, BatchHasher hasher) {
    this.threads = threads;
    this.shard = threads.shard();
    this.identity = signer.identity();
    this.foundings = new Foundings(shard, identity);
    this.strands = new StrandReads(shard);
    this.ledgers = new LedgerList(shard, strands);
    this.times = new ShardTimeJournals(shard, strands, signer, new SecureRandom());
    this.removals = new RemovalReads(shard, signer);
    this.purges = new ShardPurges(shard, strands, storage.disk(), hasher);
  }

  /// Recovers the shard and serves it. The storage stays the caller's to close, after the node.
  ///
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static ShardNode open(
      ShardStorage storage,
      ShardConfig config,
      BatchHasher hasher,
      HeadSigner signer,
      MeterRegistry registry)
      throws IOException, CorruptStreamException {
    return new ShardNode(
        ShardThreads.start(storage, config, hasher, signer, registry), signer, storage, hasher);
  }

  Shard shard() {
    return shard;
  }

  @Override
  public ServiceIdentity identity() {
    return identity;
  }

  @Override
  public long timeMs() {
    return shard.time().millis();
  }

  @Override
  public long clockMs() {
    return shard.time().clockMs();
  }

  @Override
  public CreatedLedger createLedger(Founding founding) throws RequestRejectedException {
    boolean existed = foundings.found(founding);
    StrandId strand = new StrandId(founding.params().ledgerId(), 0);
    return new CreatedLedger(
        ledger(strand.ledger()),
        existed,
        journal(strand, 0, false).leaf(),
        Bytes.wrap(receipt(strand, 0)));
  }

  @Override
  public LedgerView ledger(LedgerId id) throws RequestRejectedException {
    return ledgers.ledger(id);
  }

  @Override
  public void checkNotDeleted(LedgerId id) throws RequestRejectedException {
    ledgers.checkNotDeleted(id);
  }

  @Override
  public List<LedgerView> ledgers(@Nullable LedgerId after, int limit, LedgerFilter filter) {
    return ledgers.ledgers(after, limit, filter);
  }

  @Override
  public MembersView members(LedgerId id) throws RequestRejectedException {
    return read(
        new StrandId(id, 0),
        strand -> {
          SealedHead head = strand.head();
          return new MembersView(head.size(), List.copyOf(head.members().all()));
        });
  }

  @Override
  public ServiceKeys serviceKeys(LedgerId id) throws RequestRejectedException {
    return read(new StrandId(id, 0), strand -> strand.head().members().service().keys());
  }

  @Override
  public KeyChain keyChain(LedgerId id) throws RequestRejectedException {
    return read(new StrandId(id, 0), new KeyChains(shard.evidence(), shard.log())::of);
  }

  @Override
  public boolean isPublic(LedgerId id) {
    StrandHead head = shard.sequencer().head(id);
    return head != null && head.ledger().params().isPublic();
  }

  @Override
  public Optional<Member> member(LedgerId id, Digest kid) throws RequestRejectedException {
    StrandHead head = shard.sequencer().head(id);
    if (head == null) {
      throw StrandReads.unknown(id);
    }
    return head.members().find(kid);
  }

  @Override
  public void checkPossible(RequestHeader header) throws RequestRejectedException {
    StrandIndex _ = read(header.strand(), index -> StrandReads.checkPossible(index, header));
  }

  @Override
  public void append(List<Appending> submissions, int following) {
    shard.append(submissions, following);
  }

  @Override
  public Optional<TimeJournals> timeJournals() {
    return Optional.of(times);
  }

  @Override
  public void makeReadOnly(LedgerId ledger, long seenSize) {
    shard.makeReadOnly(ledger, seenSize);
  }

  @Override
  public JournalView journal(StrandId strand, long jsn, boolean withBody)
      throws RequestRejectedException {
    return read(
        strand,
        index -> {
          StrandReads.checkJsn(index, jsn);
          return shard.log().journal(index, jsn, withBody);
        });
  }

  @Override
  public ProvenJournal provenJournal(StrandId strand, long jsn, long size)
      throws RequestRejectedException {
    return strands.provenJournal(strand, jsn, size);
  }

  @Override
  public long newestSize(StrandId strand) throws RequestRejectedException {
    return this.<Long>read(strand, index -> index.head().size());
  }

  @Override
  public void readLog(StrandId strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws RequestRejectedException {
    this.<Boolean>read(
        strand,
        index -> {
          long size = StrandReads.coveringSize(index, from, to);
          shard.log().walk(index, from, size, withBodies, visitor);
          return true;
        });
  }

  @Override
  public void readJournals(
      StrandId strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws RequestRejectedException {
    this.<Boolean>read(
        strand,
        index -> {
          shard.log().checkReadable(index, from);
          return true;
        });
    readLog(strand, from, to, withBodies, visitor);
  }

  @Override
  public BundlePiece bundle(StrandId strand, TileBundle kind, long from, long to)
      throws RequestRejectedException {
    return read(
        strand,
        index -> {
          StrandReads.checkJsn(index, from);
          StrandReads.checkJsn(index, to - 1);
          return shard.log().bundle(index, kind, from, to);
        });
  }

  @Override
  public byte[] rangeReceipt(StrandId strand, long firstJsn, int count)
      throws RequestRejectedException {
    return read(
        strand,
        index -> {
          StrandReads.checkJsn(index, firstJsn);
          BlockRow row = index.block(index.heightOf(firstJsn));
          return shard.evidence().rangeReceipt(index, row, firstJsn, count).toArray();
        });
  }

  @Override
  public byte[] receipt(StrandId strand, long jsn) throws RequestRejectedException {
    return read(
        strand,
        index -> {
          StrandReads.checkJsn(index, jsn);
          BlockRow row = index.block(index.heightOf(jsn));
          return shard.evidence().receipt(index, row, jsn).toArray();
        });
  }

  @Override
  public ProvenLeaf inclusion(StrandId strand, long jsn, long size)
      throws RequestRejectedException {
    return read(
        strand,
        index -> {
          long treeSize = StrandReads.coveringSize(index, jsn, size);
          return shard.evidence().inclusion(index, jsn, treeSize);
        });
  }

  @Override
  public ConsistencyProof consistency(StrandId strand, long fromSize, long toSize)
      throws RequestRejectedException {
    return read(
        strand,
        index -> {
          long to = StrandReads.reachedSize(index, fromSize, toSize);
          return shard.evidence().consistency(index, fromSize, to);
        });
  }

  @Override
  public Erasure erasure(StrandId strand, long jsn) throws RequestRejectedException {
    return read(strand, index -> removals.erasure(index, jsn));
  }

  @Override
  public Bytes removalCertificate(StrandId strand, long jsn) throws RequestRejectedException {
    return read(strand, index -> removals.certificate(index, jsn));
  }

  @Override
  public byte[] tile(StrandId strand, int level, long first, int count)
      throws RequestRejectedException {
    return read(strand, index -> shard.evidence().tile(index, level, first, count));
  }

  @Override
  public ProvenClue clue(StrandId strand, Digest clueId) throws RequestRejectedException {
    return read(strand, index -> shard.clues().clue(index, clueId));
  }

  @Override
  public ProvenLineage lineage(StrandId strand, LineageQuery query)
      throws RequestRejectedException {
    return read(strand, index -> shard.clues().lineage(index, query));
  }

  @Override
  public ProvenLineage membership(StrandId strand, Digest clueId, long jsn)
      throws RequestRejectedException {
    return read(
        strand,
        index -> {
          StrandReads.checkJsn(index, jsn);
          return shard.clues().membership(index, clueId, jsn);
        });
  }

  @Override
  public BlockView blockAt(StrandId strand, long height) throws RequestRejectedException {
    return read(
        strand,
        index -> {
          StrandReads.checkBlock(index, height);
          return block(index, height);
        });
  }

  @Override
  public BlockView newestBlock(StrandId strand) throws RequestRejectedException {
    return read(strand, index -> block(index, index.head().height()));
  }

  @Override
  public BlockView blockOf(StrandId strand, long jsn) throws RequestRejectedException {
    return read(
        strand,
        index -> {
          StrandReads.checkJsn(index, jsn);
          return block(index, index.heightOf(jsn));
        });
  }

  private BlockView block(StrandIndex index, long height)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return shard.evidence().block(index, height, index.block(height));
  }

  @Override
  public byte[] checkpoint(StrandId strand) throws RequestRejectedException {
    return read(strand, index -> shard.evidence().checkpoint(index, index.head()).toArray());
  }

  @Override
  public ProvenState state(StrandId strand, Bytes key, long height, boolean withValue)
      throws RequestRejectedException {
    return read(strand, index -> shard.state().state(index, key, height, withValue));
  }

  @Override
  public ProvenStates states(StrandId strand, List<Bytes> keys, long height, boolean withValues)
      throws RequestRejectedException {
    return read(strand, index -> shard.state().states(index, keys, height, withValues));
  }

  @Override
  public ProvenStatePage statePage(StrandId strand, StateQuery query)
      throws RequestRejectedException {
    return read(strand, index -> shard.state().page(index, query));
  }

  @Override
  public StateHistory stateHistory(StrandId strand, HistoryQuery query)
      throws RequestRejectedException {
    return strands.history(strand, query);
  }

  @Override
  public List<KeptState> keptStates() {
    return StrandVersions.of(shard.indexer().openStrands());
  }

  @Override
  public KeptState pruneState(LedgerId id, StatePruning pruning) throws RequestRejectedException {
    return read(
        new StrandId(id, 0),
        index -> StrandVersions.prune(index, pruning, shard.removals().past()));
  }

  @Override
  public long ledgerCount() {
    return shard.sequencer().ledgers(null).size();
  }

  @Override
  public NodeHealth health() {
    return ShardHealth.of(shard);
  }

  @Override
  public Optional<OpenProposals> openProposals() {
    return Optional.of(shard.tables().proposals());
  }

  @Override
  public Optional<LedgerPurges> purges() {
    return Optional.of(purges);
  }

  @Override
  public Optional<KeptAnchors> keptAnchors() {
    return Optional.of(shard.tables().anchors());
  }

  @Override
  public Optional<MemberCertificates> memberCertificates() {
    return Optional.of(shard.tables().chains());
  }

  @Override
  public void close() throws IOException {
    threads.close();
  }

  private <T> T read(StrandId strand, StrandReads.StrandRead<T> read)
      throws RequestRejectedException {
    return strands.read(strand, read);
  }
}
