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
import io.tallystick.node.ClueRead;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.Done;
import io.tallystick.node.Founding;
import io.tallystick.node.JournalView;
import io.tallystick.node.KeptAnchors;
import io.tallystick.node.KeptRead;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerPurges;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LedgerView;
import io.tallystick.node.LogRange;
import io.tallystick.node.LogRead;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.node.MembersView;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.NodeRead;
import io.tallystick.node.OpenProposals;
import io.tallystick.node.OutsideRead;
import io.tallystick.node.ProvenClue;
import io.tallystick.node.ProvenJournal;
import io.tallystick.node.ProvenLeaf;
import io.tallystick.node.ProvenLineage;
import io.tallystick.node.PurgeRead;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.StateRead;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.TimeRead;
import io.tallystick.testkit.Fixtures;
import io.tallystick.tile.BundleWriter;
import io.tallystick.tile.TileBundle;
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
  @SuppressWarnings("unchecked") // what each case answers is what its record names
  public <R> R ask(NodeRead<R> read) throws RequestRejectedException {
    return (R)
        switch (read) {
          case LedgerRead<R> it -> ledger(it);
          case LogRead<R> it -> log(it.strand(), it);
          case ClueRead<R> it -> clue(it.strand(), it);
          case StateRead<R> _ -> throw absent("the ledger has no state");
          case TimeRead<R> _ -> throw absent("this node takes no time journals");
          case KeptRead<R> _ -> throw absent("this node keeps nothing beside its logs");
          case PurgeRead<R> _ -> throw absent("this node purges nothing");
          case OutsideRead<R> _ -> throw absent("this node asks no outsider");
        };
  }

  @Override
  @SuppressWarnings("unchecked") // what each case answers is what its record names
  public <R> R change(NodeChange<R> change) throws RequestRejectedException {
    if (change instanceof NodeChange.Found(Founding founding)) {
      return (R) found(founding);
    }
    throw absent("this node does nothing but founding");
  }

  private static RequestRejectedException absent(String detail) {
    return new RequestRejectedException(RejectionCode.FEATURE_NOT_ENABLED, detail);
  }

  @Override
  public Optional<TimeJournals> timeJournals() {
    return Optional.empty();
  }

  @Override
  public Optional<OpenProposals> openProposals() {
    return Optional.empty();
  }

  @Override
  public Optional<KeptAnchors> keptAnchors() {
    return Optional.empty();
  }

  @Override
  public Optional<MemberCertificates> memberCertificates() {
    return Optional.empty();
  }

  @Override
  public Optional<LedgerPurges> purges() {
    return Optional.empty();
  }

  private Object ledger(LedgerRead<?> read) throws RequestRejectedException {
    return switch (read) {
      case LedgerRead.Ledger(LedgerId id) -> view(id, log(id));
      case LedgerRead.NotDeleted _ -> Done.DONE;
      case LedgerRead.Ledgers it -> ledgers(it);
      case LedgerRead.Founded it ->
          logs.keySet().stream()
              .sorted()
              .filter(id -> it.after().isEmpty() || id.compareTo(it.after().get()) > 0)
              .limit(it.limit())
              .toList();
      case LedgerRead.NewestFrame _ -> -1L;
      case LedgerRead.Count _ -> (long) logs.size();
      case LedgerRead.Members(LedgerId id) -> membersOf(id);
      case LedgerRead.Keys(LedgerId id) -> {
        GenesisParams params = log(id).founding.params();
        yield new ServiceKeys(params.authority(), params.noteKey(), params.receiptKey());
      }
      case LedgerRead.Chain(LedgerId id) -> {
        var _ = log(id);
        yield KeyChain.EMPTY;
      }
      case LedgerRead.IsPublic(LedgerId id) -> {
        MemoryLog log = logs.get(id);
        yield log != null && log.founding.params().isPublic();
      }
      case LedgerRead.FindMember(LedgerId id, Digest kid) -> find(id, kid);
      case LedgerRead.FindSigner(LedgerId id, Digest kid) -> find(id, kid);
      case LedgerRead.Possible _ -> Done.DONE;
    };
  }

  private Optional<Member> find(LedgerId id, Digest kid) throws RequestRejectedException {
    return membersOf(id).members().stream().filter(it -> it.key().kid().equals(kid)).findFirst();
  }

  private CreatedLedger found(Founding founding) throws RequestRejectedException {
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

  private List<LedgerView> ledgers(LedgerRead.Ledgers read) {
    return logs.entrySet().stream()
        .filter(entry -> read.after().filter(it -> entry.getKey().compareTo(it) <= 0).isEmpty())
        .filter(entry -> admits(read.filter(), entry.getValue().founding.params()))
        .limit(read.limit())
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

  private MembersView membersOf(LedgerId id) throws RequestRejectedException {
    MemoryLog log = log(id);
    List<Member> members =
        log.founding.params().owners().stream()
            .map(key -> new Member(key, Role.OWNER, 0, Member.NEVER))
            .toList();
    return new MembersView(log.size(), members);
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

  private Object log(StrandId strand, LogRead<?> read) throws RequestRejectedException {
    return switch (read) {
      case LogRead.Journal it -> existing(strand, it.jsn()).row(it.jsn());
      case LogRead.Proven it -> proven(it);
      case LogRead.NewestSize _ -> log(strand.ledger()).size();
      case LogRead.Bundle it -> bundle(it);
      case LogRead.RangeReceipt it -> {
        var _ = existing(strand, it.firstJsn());
        yield Bytes.utf8("range from " + it.firstJsn());
      }
      case LogRead.Receipt it -> {
        var _ = existing(strand, it.jsn());
        yield Bytes.utf8("receipt of " + it.jsn());
      }
      case LogRead.Inclusion it -> inclusionOf(strand, it.jsn(), it.size());
      case LogRead.Consistency it -> {
        long _ = signed(strand, it.fromSize());
        yield new ConsistencyProof(it.fromSize(), signed(strand, it.toSize()), List.of());
      }
      case LogRead.Tile _ ->
          throw new RequestRejectedException(RejectionCode.OUT_OF_RANGE, "this log has no tree");
      case LogRead.BlockAt it -> block(strand, it.height());
      case LogRead.NewestBlock _ -> log(strand.ledger()).newest();
      case LogRead.BlockOf it -> existing(strand, it.jsn()).blockOf(it.jsn());
      case LogRead.Checkpoint _ -> note(log(strand.ledger()));
      case LogRead.Erased it -> throw notErased(it.jsn());
      case LogRead.Certificate it -> throw notErased(it.jsn());
    };
  }

  private static RequestRejectedException notErased(long jsn) {
    return new RequestRejectedException(
        RejectionCode.OUT_OF_RANGE, "the body of journal " + jsn + " is not erased");
  }

  private ProvenJournal proven(LogRead.Proven read) throws RequestRejectedException {
    if (read.jsn() == damagedJsn) {
      throw new RequestRejectedException(RejectionCode.DAMAGED, "told to be damaged")
          .atJsn(read.jsn());
    }
    JournalView journal = existing(read.strand(), read.jsn()).row(read.jsn());
    return new ProvenJournal(
        journal, inclusionOf(read.strand(), read.jsn(), read.size()).inclusion());
  }

  @Override
  public void readLog(LogRange range, LogVisitor visitor) throws RequestRejectedException {
    MemoryLog log = log(range.strand().ledger());
    boolean withBodies = range.withBodies();
    for (long jsn = range.from(); jsn < range.to(); jsn++) {
      if (jsn >= damagedJsn) {
        throw new RequestRejectedException(RejectionCode.DAMAGED, "told to be damaged").atJsn(jsn);
      }
      JournalView row = log.row(jsn);
      leavesRead.incrementAndGet();
      boolean first =
          jsn == range.from()
              || !(decode(row) instanceof JournalLeaf leaf)
              || leaf.batchIndex() == 0;
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

  private BundlePiece bundle(LogRead.Bundle read) throws RequestRejectedException {
    BundleWriter file = new BundleWriter(read.kind(), 0);
    for (long jsn = read.from(); jsn < read.to(); jsn++) {
      JournalView row = existing(read.strand(), jsn).row(jsn);
      Bytes salt = row.salt();
      Bytes body = row.body();
      Bytes attestation = row.attestation();
      switch (read.kind()) {
        case ENTRIES, ANY_ENTRIES -> file.item(row.leaf());
        case ATTESTATIONS -> file.item(attestation == null ? Bytes.EMPTY : attestation);
        case OPS -> file.item(row.ops());
        case BODIES ->
            file.item(salt == null || body == null ? Bytes.EMPTY : TileBundle.body(salt, body));
      }
    }
    return new BundlePiece(file.finish(), read.to());
  }

  private static Leaf decode(JournalView row) {
    try {
      return Leaf.decode(row.leaf());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private ProvenLeaf inclusionOf(StrandId strand, long jsn, long size)
      throws RequestRejectedException {
    long at = signed(strand, size);
    Digest leafHash = Leaf.hash(existing(strand, jsn).row(jsn).leaf());
    return new ProvenLeaf(leafHash, new InclusionProof(jsn, at, List.of()));
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

  private BlockView block(StrandId strand, long height) throws RequestRejectedException {
    MemoryLog log = log(strand.ledger());
    if (height > log.newest().height()) {
      throw new RequestRejectedException(RejectionCode.OUT_OF_RANGE, "no block " + height);
    }
    return log.blocks.get((int) height);
  }

  /// No journal of this log names a clue.
  private Object clue(StrandId strand, ClueRead<?> read) throws RequestRejectedException {
    BlockView newest = log(strand.ledger()).newest();
    ClueProof proof = new ClueProof(newest.sealLeaf(), List.of(), new TrieProof(List.of()));
    ProvenClue clue = new ProvenClue(newest, proof, Optional.empty());
    return switch (read) {
      case ClueRead.Clue _ -> clue;
      case ClueRead.Lineage _ ->
          new ProvenLineage(clue, 0, 0, List.of(), Optional.empty(), OptionalLong.empty());
      case ClueRead.Membership it ->
          throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE,
              "journal " + it.jsn() + " does not name clue " + it.clueId());
    };
  }

  private static Bytes note(MemoryLog log) {
    String origin = log.founding.params().origin(0);
    return Bytes.utf8(origin + "\n" + log.size() + "\nroot\n\n— signature\n");
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
