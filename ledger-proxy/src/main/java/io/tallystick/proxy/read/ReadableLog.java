package io.tallystick.proxy.read;

import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.JournalFilter;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.Erasure;
import io.tallystick.node.JournalView;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ProvenJournal;
import io.tallystick.node.ProvenLeaf;
import io.tallystick.node.ProvenTime;
import io.tallystick.node.TimeJournals;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Scope;
import io.tallystick.proxy.access.ReadGrant;
import io.tallystick.tile.TilePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// One caller's reads of one log: journals, blocks, heads, and proofs about them. Every read checks
/// the caller's access before it asks the node. Size 0 is the newest signed size.
public record ReadableLog(ReadAccess access, Bearer bearer, StrandId strand) {
  /// The cost of a proven journal beyond its bytes and the hashes of its proofs.
  private static final int JOURNAL_BYTES = 64;

  private static final int HASH_BYTES = 34;

  /// A journal with its body, or with what shows that this was erased. Of a journal that governs
  /// and stays in a purge nothing is missing that it said: its body is empty.
  public ReadJournal journal(long jsn) throws RequestRejectedException {
    ReadGrant grant = grant();
    JournalView view = readable(grant, grant.node().journal(strand, jsn, true));
    return new ReadJournal(
        view,
        view.bodyState() == BodyState.ERASED && !governs(view)
            ? Optional.of(grant.node().erasure(strand, jsn))
            : Optional.empty());
  }

  /// For a read of journals, each of which {@link #readable} then judges.
  private ReadGrant grant() throws RequestRejectedException {
    return access.grant(strand.ledger(), bearer, Scope.EVIDENCE);
  }

  /// The journal that was read, if the reader may have it. Who may not read bodies reads the
  /// journals that have none: genesis, seals and those that govern, by which members are verified.
  /// It is judged by what was read: a journal may be sealed while it is asked for.
  private static JournalView readable(ReadGrant grant, JournalView view)
      throws RequestRejectedException {
    if (!grant.readsBodies() && isJournal(view) && !governs(view)) {
      grant.checkBodies();
    }
    return view;
  }

  private static boolean isJournal(JournalView view) {
    try {
      return Leaf.decode(view.leaf()) instanceof JournalLeaf;
    } catch (MalformedException e) {
      throw malformed(view, e);
    }
  }

  private static AssertionError malformed(JournalView view, MalformedException e) {
    return new AssertionError("journal " + view.jsn() + " was committed malformed", e);
  }

  private static boolean governs(JournalView view) {
    try {
      return Leaf.decode(view.leaf()) instanceof JournalLeaf leaf
          && RequestHeader.decode(leaf.header()).kind().governance();
    } catch (MalformedException e) {
      throw malformed(view, e);
    }
  }

  /// By which removal the body of a journal was erased.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if it is not erased
  public Erasure erasure(long jsn) throws RequestRejectedException {
    return node(Scope.EVIDENCE).erasure(strand, jsn);
  }

  /// The same, with the proof that it is in the tree of `size`.
  public ProvenJournal proven(long jsn, long size) throws RequestRejectedException {
    return proven(grant(), jsn, size);
  }

  private ProvenJournal proven(ReadGrant grant, long jsn, long size)
      throws RequestRejectedException {
    ProvenJournal proven = grant.node().provenJournal(strand, jsn, size);
    JournalView _ = readable(grant, proven.journal());
    return proven;
  }

  /// Journals, each proven to be in the same tree: as many of them, from the first, as a message
  /// takes. A journal that does not exist, is damaged or was purged is an outcome of its own;
  /// anything else refuses them all.
  ///
  /// @param jsns unsigned, 1 to {@link PageLimit#MAX}, in any order
  public List<ReadOutcome> proven(List<Long> jsns, long size) throws RequestRejectedException {
    if (jsns.isEmpty() || jsns.size() > PageLimit.MAX) {
      throw new RequestRejectedException(
              jsns.isEmpty() ? RejectionCode.MALFORMED : RejectionCode.TOO_LARGE,
              jsns.size() + " journals asked for, want 1 to " + PageLimit.MAX)
          .withLimit(PageLimit.MAX);
    }
    ReadGrant grant = grant();
    // One tree for all of them, however many blocks are sealed meanwhile.
    long oneSize = size == 0 ? grant.node().newestSize(strand) : size;
    List<ReadOutcome> outcomes = new ArrayList<>();
    long bytes = 0;
    for (int i = 0; i < jsns.size() && bytes < LogPage.BYTES_WANTED; i++) {
      ReadOutcome outcome = read(grant, jsns.get(i), oneSize);
      outcomes.add(outcome);
      bytes += byteCount(outcome);
    }
    return outcomes;
  }

  private ReadOutcome read(ReadGrant grant, long jsn, long size) throws RequestRejectedException {
    if (jsn < 0) {
      return new ReadOutcome.Refused(
          new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE,
              "jsn " + Long.toUnsignedString(jsn) + " does not exist yet"));
    }
    try {
      return new ReadOutcome.Found(proven(grant, jsn, size));
    } catch (RequestRejectedException refusal) {
      return switch (refusal.code()) {
        case OUT_OF_RANGE, DAMAGED, ERASED, PURGED -> new ReadOutcome.Refused(refusal);
        default -> throw refusal;
      };
    }
  }

  private static long byteCount(ReadOutcome outcome) {
    return switch (outcome) {
      case ReadOutcome.Refused _ -> JOURNAL_BYTES;
      case ReadOutcome.Found(ProvenJournal(JournalView journal, var inclusion)) -> {
        var batch = journal.batchProof();
        int hashes = inclusion.path().size() + (batch == null ? 0 : batch.path().size());
        yield JOURNAL_BYTES + journal.byteCount() + (long) HASH_BYTES * hashes;
      }
    };
  }

  /// At most `limit` journals from a place on, without their attestations. A page that begins at
  /// the end of its tree is empty.
  public ListedJournals page(PageCursor from, int limit) throws RequestRejectedException {
    LedgerNode node = node(Scope.BODIES);
    long newest = node.newestSize(strand);
    long size = from.size() == PageCursor.NEWEST ? newest : from.size();
    checkStart(from.next(), size, newest);
    if (from.next() == size) {
      return new ListedJournals(List.of(), size, Optional.empty());
    }
    List<LogPage.Item> journals = LogPage.journals(node, strand, from.next(), size, limit);
    long next = journals.getLast().jsn() + 1;
    return new ListedJournals(
        journals.stream().map(LogPage.Item::withoutAttestation).toList(),
        size,
        next < size ? Optional.of(new PageCursor(next, size)) : Optional.empty());
  }

  /// The journals from a place on that fit a filter, at most `limit`, with their attestations: as
  /// many as one call finds, which may be none though there are more. That none is left out is
  /// proven by nothing.
  public ScannedJournals scan(JournalFilter filter, PageCursor from, int limit)
      throws RequestRejectedException {
    LedgerNode node = node(Scope.BODIES);
    long newest = node.newestSize(strand);
    long size = from.size() == PageCursor.NEWEST ? newest : from.size();
    checkStart(from.next(), size, newest);
    if (from.next() == size) {
      return new ScannedJournals(List.of(), size, size, Optional.empty());
    }
    LogScan scan = LogScan.run(node, strand, filter, new PageCursor(from.next(), size), limit);
    List<ProvenJournal> journals = new ArrayList<>();
    long bytes = 0;
    for (long jsn : scan.found()) {
      if (bytes >= LogPage.BYTES_WANTED) {
        return new ScannedJournals(journals, size, jsn, Optional.of(new PageCursor(jsn, size)));
      }
      try {
        ProvenJournal proven = node.provenJournal(strand, jsn, size);
        journals.add(proven);
        bytes += byteCount(new ReadOutcome.Found(proven));
      } catch (RequestRejectedException e) {
        if (e.code() != RejectionCode.DAMAGED || journals.isEmpty()) {
          throw e;
        }
        return new ScannedJournals(journals, size, jsn, Optional.of(new PageCursor(jsn, size)));
      }
    }
    long end = scan.end();
    boolean over = scan.isOver() || end == size;
    return new ScannedJournals(
        journals, size, end, over ? Optional.empty() : Optional.of(new PageCursor(end, size)));
  }

  /// @param size of the tree that is read from
  /// @param newest signed size
  static void checkStart(long from, long size, long newest) throws RequestRejectedException {
    if (from > size || size > newest) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE,
              "from " + from + " is beyond size " + Math.min(size, newest))
          .withLimit(Math.min(size, newest));
    }
  }

  /// The leaves from `from` to the head that was signed at `size`, a part at a time.
  ///
  /// @throws RequestRejectedException `FUTURE_SIZE` if no head is that new; `OUT_OF_RANGE` if none
  ///   was signed at that size, or if `from` is beyond it
  public LogWalk walk(long from, long size, boolean withBodies) throws RequestRejectedException {
    Scope scope = withBodies ? Scope.BODIES : Scope.EVIDENCE;
    return LogWalk.open(
        access.grant(strand.ledger(), bearer, scope), strand, from, size, withBodies);
  }

  /// The certificate of a removal, or of the one that erased a journal.
  ///
  /// @throws RequestRejectedException as {@link LedgerNode#removalCertificate}
  public Bytes removalCertificate(long jsn) throws RequestRejectedException {
    return node(Scope.EVIDENCE).removalCertificate(strand, jsn);
  }

  /// The COSE receipt of a leaf.
  public Bytes receipt(long jsn) throws RequestRejectedException {
    return Bytes.wrap(node(Scope.EVIDENCE).receipt(strand, jsn));
  }

  public ReceiptedLeaf receiptedLeaf(long jsn) throws RequestRejectedException {
    return ReceiptedLeaf.read(node(Scope.EVIDENCE), strand, jsn);
  }

  public ProvenLeaf inclusion(long jsn, long size) throws RequestRejectedException {
    return node(Scope.EVIDENCE).inclusion(strand, jsn, size);
  }

  public ConsistencyProof consistency(long fromSize, long toSize) throws RequestRejectedException {
    return node(Scope.EVIDENCE).consistency(strand, fromSize, toSize);
  }

  /// The first hashes of a tile, side by side.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if they do not all exist
  public Bytes tile(long level, long index, long width) throws RequestRejectedException {
    long indexMax = Long.MAX_VALUE / TilePath.WIDTH - 1;
    if (level > TilePath.LEVEL_MAX || index > indexMax || width < 1 || width > TilePath.WIDTH) {
      throw new RequestRejectedException(
          RejectionCode.OUT_OF_RANGE,
          String.format(
              Locale.ROOT, "there is no tile %d of level %d with %d hashes", index, level, width));
    }
    return Bytes.wrap(
        node(Scope.EVIDENCE).tile(strand, (int) level, index * TilePath.WIDTH, (int) width));
  }

  public BlockView newestBlock() throws RequestRejectedException {
    return node(Scope.EVIDENCE).newestBlock(strand);
  }

  public BlockView blockAt(long height) throws RequestRejectedException {
    return node(Scope.EVIDENCE).blockAt(strand, height);
  }

  /// The block that holds a journal.
  public BlockView blockOf(long jsn) throws RequestRejectedException {
    return node(Scope.EVIDENCE).blockOf(strand, jsn);
  }

  /// The newest signed head as a C2SP checkpoint.
  public Bytes checkpoint() throws RequestRejectedException {
    return Bytes.wrap(node(Scope.EVIDENCE).checkpoint(strand));
  }

  /// How the service's keys came from those of genesis.
  public KeyChain keyChain() throws RequestRejectedException {
    return node(Scope.EVIDENCE).keyChain(strand.ledger());
  }

  /// The time journal with the latest proven time that is not after `timeMs`.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if there is none
  public ProvenTime lastGrantTime(long timeMs) throws RequestRejectedException {
    Optional<TimeJournals> times = node(Scope.EVIDENCE).timeJournals();
    Optional<ProvenTime> found =
        times.isEmpty() ? Optional.empty() : times.get().lastAt(strand, timeMs);
    return found.orElseThrow(() ->
        new RequestRejectedException(
            RejectionCode.OUT_OF_RANGE,
            "no time journal is proven to be as old as " + Printable.time(timeMs)));
  }

  private LedgerNode node(Scope scope) throws RequestRejectedException {
    return access.node(strand.ledger(), bearer, scope);
  }
}
