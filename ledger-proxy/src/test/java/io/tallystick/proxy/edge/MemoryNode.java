package io.tallystick.proxy.edge;

import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.lineage.ClueProof;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.AppendWaiter.ReceiptedRun;
import io.tallystick.node.Appending;
import io.tallystick.node.BlockView;
import io.tallystick.node.BundlePiece;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.Erasure;
import io.tallystick.node.Founding;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.JournalView;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerView;
import io.tallystick.node.LineageQuery;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.Member;
import io.tallystick.node.MembersView;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.ProvenClue;
import io.tallystick.node.ProvenJournal;
import io.tallystick.node.ProvenLeaf;
import io.tallystick.node.ProvenLineage;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.StateHistory;
import io.tallystick.node.StateQuery;
import io.tallystick.testkit.Fixtures;
import io.tallystick.tile.BundleWriter;
import io.tallystick.tile.TileBundle;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A node in memory that keeps to the letter of {@link LedgerNode} in what it refuses, and that a
/// test can hold up, make refuse, or make unwell.
final class MemoryNode implements LedgerNode {
  final Map<LedgerId, MemoryLog> logs = new ConcurrentSkipListMap<>();
  volatile NodeHealth health = new NodeHealth(true, true, "");
  volatile @Nullable RejectionCode refuseAppends;

  /// The first journal that a log does not tell any more.
  volatile long damagedJsn = Long.MAX_VALUE;

  private final Queue<Runnable> heldAppends = new ConcurrentLinkedQueue<>();
  private final AtomicLong leavesRead = new AtomicLong();
  private volatile boolean hold;

  /// Appends from now on wait for {@link #release}.
  void hold() {
    hold = true;
  }

  int heldCount() {
    return heldAppends.size();
  }

  void release() {
    hold = false;
    for (Runnable append = heldAppends.poll(); append != null; append = heldAppends.poll()) {
      append.run();
    }
  }

  /// How many leaves {@link #readLog} has handed out.
  long leavesRead() {
    return leavesRead.get();
  }

  @Override
  public ServiceIdentity identity() {
    return new ServiceIdentity(
        Fixtures.ledger().params().authority(),
        Fixtures.NOTE.publicKey(),
        Fixtures.RECEIPT.publicKey());
  }

  @Override
  public long timeMs() {
    return System.currentTimeMillis();
  }

  @Override
  public CreatedLedger createLedger(Founding founding) throws RequestRejectedException {
    founding.checkCreated(timeMs());
    LedgerId id = founding.params().ledgerId();
    MemoryLog fresh = new MemoryLog(founding, timeMs());
    MemoryLog log = Objects.requireNonNullElse(logs.putIfAbsent(id, fresh), fresh);
    return new CreatedLedger(
        view(id, log), log != fresh, log.row(0).leaf(), Bytes.utf8("receipt of 0"));
  }

  private static LedgerView view(LedgerId id, MemoryLog log) {
    BlockView newest = log.newest();
    return new LedgerView(
        id,
        log.founding.name().name(),
        log.founding.params().origin(0),
        log.founding.paramsBytes(),
        newest.size(),
        newest.height(),
        newest.timeMs());
  }

  @Override
  public LedgerView ledger(LedgerId id) throws RequestRejectedException {
    return view(id, log(id));
  }

  @Override
  public List<LedgerView> ledgers(@Nullable LedgerId after, int limit, LedgerFilter filter) {
    return logs.entrySet().stream()
        .filter(entry -> after == null || entry.getKey().compareTo(after) > 0)
        .filter(entry -> admits(filter, entry.getValue().founding.params()))
        .limit(limit)
        .map(entry -> view(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static boolean admits(LedgerFilter filter, GenesisParams params) {
    return switch (filter) {
      case LedgerFilter.All _ -> true;
      case LedgerFilter.Public _ -> params.isPublic();
      case LedgerFilter.OfMember(Digest kid, long _) -> isOwner(params, kid);
      case LedgerFilter.Knowing(Digest kid, long _) -> isOwner(params, kid);
    };
  }

  private static boolean isOwner(GenesisParams params, Digest kid) {
    return params.owners().stream().anyMatch(owner -> owner.kid().equals(kid));
  }

  @Override
  public MembersView members(LedgerId id) throws RequestRejectedException {
    MemoryLog log = log(id);
    List<Member> members =
        log.founding.params().owners().stream()
            .map(key -> new Member(key, Role.OWNER, 0, Member.NEVER))
            .toList();
    return new MembersView(log.size(), members);
  }

  @Override
  public ServiceKeys serviceKeys(LedgerId id) throws RequestRejectedException {
    GenesisParams params = log(id).founding.params();
    return new ServiceKeys(params.authority(), params.noteKey(), params.receiptKey());
  }

  @Override
  public Erasure erasure(StrandId strand, long jsn) throws RequestRejectedException {
    throw new RequestRejectedException(
        RejectionCode.OUT_OF_RANGE, "the body of journal " + jsn + " is not erased");
  }

  @Override
  public Bytes removalCertificate(StrandId strand, long jsn) throws RequestRejectedException {
    throw new RequestRejectedException(
        RejectionCode.OUT_OF_RANGE, "the body of journal " + jsn + " is not erased");
  }

  @Override
  public KeyChain keyChain(LedgerId id) throws RequestRejectedException {
    var _ = log(id);
    return KeyChain.EMPTY;
  }

  @Override
  public boolean isPublic(LedgerId id) {
    MemoryLog log = logs.get(id);
    return log != null && log.founding.params().isPublic();
  }

  @Override
  public Optional<Member> member(LedgerId id, Digest kid) throws RequestRejectedException {
    return log(id).founding.params().owners().stream()
        .filter(key -> key.kid().equals(kid))
        .findFirst()
        .map(key -> new Member(key, Role.OWNER, 0, Member.NEVER));
  }

  @Override
  public void append(List<Appending> submissions, int following) {
    for (Appending each : submissions) {
      try {
        append(each);
      } catch (RequestRejectedException refusal) {
        each.waiter().failed(refusal);
      }
    }
  }

  @Override
  public void makeReadOnly(LedgerId ledger, long seenSize) {
    throw new UnsupportedOperationException("no test of this node asks for it");
  }

  private void append(Appending submission) throws RequestRejectedException {
    RejectionCode refusal = refuseAppends;
    if (refusal != null) {
      throw new RequestRejectedException(refusal, "told to refuse");
    }
    MemoryLog log = log(submission.submission().strand().ledger());
    Runnable commit = () -> commit(log, submission);
    if (hold) {
      heldAppends.add(commit);
    } else {
      commit.run();
    }
  }

  private void commit(MemoryLog log, Appending appending) {
    long nowMs = timeMs();
    VerifiedSubmission submission = appending.submission();
    long first = log.append(submission, nowMs);
    Committed committed = new Committed(first, submission.requests().size(), nowMs, false, false);
    AppendWaiter waiter = appending.waiter();
    if (waiter.wantsCommitted()) {
      waiter.committed(committed);
    }
    Bytes receipt = Bytes.utf8("range from " + first);
    waiter.stream().receipted(new ReceiptedRun(List.of(waiter), List.of(committed), receipt));
  }

  @Override
  public JournalView journal(StrandId strand, long jsn, boolean withBody)
      throws RequestRejectedException {
    return existing(strand, jsn).row(jsn);
  }

  @Override
  public ProvenJournal provenJournal(StrandId strand, long jsn, long size)
      throws RequestRejectedException {
    if (jsn == damagedJsn) {
      throw new RequestRejectedException(RejectionCode.DAMAGED, "told to be damaged").atJsn(jsn);
    }
    JournalView journal = journal(strand, jsn, true);
    return new ProvenJournal(journal, inclusion(strand, jsn, size).inclusion());
  }

  @Override
  public long newestSize(StrandId strand) throws RequestRejectedException {
    return log(strand.ledger()).size();
  }

  @Override
  public void readLog(StrandId strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws RequestRejectedException {
    MemoryLog log = log(strand.ledger());
    for (long jsn = from; jsn < to; jsn++) {
      if (jsn >= damagedJsn) {
        throw new RequestRejectedException(RejectionCode.DAMAGED, "told to be damaged").atJsn(jsn);
      }
      JournalView row = log.row(jsn);
      leavesRead.incrementAndGet();
      boolean first =
          jsn == from || !(decode(row) instanceof JournalLeaf leaf) || leaf.batchIndex() == 0;
      boolean more =
          visitor.leaf(
              jsn,
              row.leaf(),
              first ? row.attestation() : null,
              row.ops(),
              withBodies ? row.bodyState() : BodyState.NONE,
              withBodies ? row.salt() : null,
              withBodies ? row.body() : null);
      if (!more) {
        return;
      }
    }
  }

  @Override
  public BundlePiece bundle(StrandId strand, TileBundle kind, long from, long to)
      throws RequestRejectedException {
    BundleWriter file = new BundleWriter(kind, 0);
    for (long jsn = from; jsn < to; jsn++) {
      JournalView row = existing(strand, jsn).row(jsn);
      Bytes salt = row.salt();
      Bytes body = row.body();
      Bytes attestation = row.attestation();
      switch (kind) {
        case ENTRIES, ANY_ENTRIES -> file.item(row.leaf());
        case ATTESTATIONS -> file.item(attestation == null ? Bytes.EMPTY : attestation);
        case OPS -> file.item(row.ops());
        case BODIES ->
            file.item(salt == null || body == null ? Bytes.EMPTY : TileBundle.body(salt, body));
      }
    }
    return new BundlePiece(file.finish(), to);
  }

  private static Leaf decode(JournalView row) {
    try {
      return Leaf.decode(row.leaf());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public byte[] rangeReceipt(StrandId strand, long firstJsn, int count)
      throws RequestRejectedException {
    existing(strand, firstJsn);
    return ("range from " + firstJsn).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] receipt(StrandId strand, long jsn) throws RequestRejectedException {
    existing(strand, jsn);
    return ("receipt of " + jsn).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public ProvenLeaf inclusion(StrandId strand, long jsn, long size)
      throws RequestRejectedException {
    long at = signed(strand, size);
    Digest leafHash = Leaf.hash(existing(strand, jsn).row(jsn).leaf());
    return new ProvenLeaf(leafHash, new InclusionProof(jsn, at, List.of()));
  }

  @Override
  public ConsistencyProof consistency(StrandId strand, long fromSize, long toSize)
      throws RequestRejectedException {
    signed(strand, fromSize);
    return new ConsistencyProof(fromSize, signed(strand, toSize), List.of());
  }

  @Override
  public byte[] tile(StrandId strand, int level, long first, int count)
      throws RequestRejectedException {
    throw new RequestRejectedException(RejectionCode.OUT_OF_RANGE, "this log has no tree");
  }

  private long signed(StrandId strand, long size) throws RequestRejectedException {
    long newest = log(strand.ledger()).size();
    if (size > newest) {
      throw new RequestRejectedException(
              RejectionCode.FUTURE_SIZE, "size " + size + ", newest " + newest)
          .withLimit(newest);
    }
    return size == 0 ? newest : size;
  }

  @Override
  public BlockView blockAt(StrandId strand, long height) throws RequestRejectedException {
    MemoryLog log = log(strand.ledger());
    if (height > log.newest().height()) {
      throw new RequestRejectedException(RejectionCode.OUT_OF_RANGE, "no block " + height);
    }
    return log.blocks.get((int) height);
  }

  /// No journal of this log names a clue.
  @Override
  public ProvenClue clue(StrandId strand, Digest clueId) throws RequestRejectedException {
    BlockView newest = newestBlock(strand);
    ClueProof proof = new ClueProof(newest.sealLeaf(), List.of(), new TrieProof(List.of()));
    return new ProvenClue(newest, proof, Optional.empty());
  }

  @Override
  public ProvenLineage lineage(StrandId strand, LineageQuery query)
      throws RequestRejectedException {
    ProvenClue clue = clue(strand, query.clueId());
    return new ProvenLineage(clue, 0, 0, List.of(), Optional.empty(), OptionalLong.empty());
  }

  @Override
  public ProvenLineage membership(StrandId strand, Digest clueId, long jsn)
      throws RequestRejectedException {
    throw new RequestRejectedException(
        RejectionCode.OUT_OF_RANGE, "journal " + jsn + " does not name clue " + clueId);
  }

  @Override
  public BlockView newestBlock(StrandId strand) throws RequestRejectedException {
    return log(strand.ledger()).newest();
  }

  @Override
  public BlockView blockOf(StrandId strand, long jsn) throws RequestRejectedException {
    return existing(strand, jsn).blockOf(jsn);
  }

  @Override
  public byte[] checkpoint(StrandId strand) throws RequestRejectedException {
    MemoryLog log = log(strand.ledger());
    String origin = log.founding.params().origin(0);
    return (origin + "\n" + log.size() + "\nroot\n\n— signature\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public ProvenState state(StrandId strand, Bytes key, long height, boolean withValue)
      throws RequestRejectedException {
    throw noState();
  }

  @Override
  public ProvenStates states(StrandId strand, List<Bytes> keys, long height, boolean withValues)
      throws RequestRejectedException {
    throw noState();
  }

  @Override
  public ProvenStatePage statePage(StrandId strand, StateQuery query)
      throws RequestRejectedException {
    throw noState();
  }

  @Override
  public StateHistory stateHistory(StrandId strand, HistoryQuery query)
      throws RequestRejectedException {
    throw noState();
  }

  private static RequestRejectedException noState() {
    return new RequestRejectedException(
        RejectionCode.FEATURE_NOT_ENABLED, "the ledger has no state");
  }

  @Override
  public NodeHealth health() {
    return health;
  }

  @Override
  public void close() {
    release();
  }

  private MemoryLog log(LedgerId id) throws RequestRejectedException {
    MemoryLog log = logs.get(id);
    if (log == null) {
      throw new RequestRejectedException(RejectionCode.UNKNOWN_LEDGER, "no ledger " + id);
    }
    return log;
  }

  private MemoryLog existing(StrandId strand, long jsn) throws RequestRejectedException {
    MemoryLog log = log(strand.ledger());
    if (jsn >= log.size()) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE, "jsn " + jsn + " of " + log.size())
          .atJsn(jsn)
          .withLimit(log.size());
    }
    return log;
  }
}
