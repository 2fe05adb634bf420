package io.tallystick.master.tledger;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.TimeProof;
import io.tallystick.master.anchor.NoTimeException;
import io.tallystick.master.anchor.Rounds;
import io.tallystick.master.anchor.TimeFailure;
import io.tallystick.master.anchor.TimeSource;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ProvenTime;
import io.tallystick.node.StampedHead;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.note.SignedNote;
import io.tallystick.tledger.EntryInclusion;
import io.tallystick.tledger.HeadEntry;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/// Puts the heads of ledgers that opted in into a T-Ledger; the entries come back as time journals
/// (proof 2). A ledger's newest head goes out when a journal waits that no time journal covers and
/// the last one went out an interval ago. The largest head of the T-Ledger that was seen is kept,
/// also in the time journals themselves: once the T-Ledger contradicts it, nothing is submitted any
/// more. No append waits for it.
public final class TLedgerPeg implements TimeSource, AutoCloseable {
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final int PAGE = 1_000;

  /// Time journals that are read, at the start, for one with an entry.
  private static final int READ_BACK_MAX = 100_000;

  private final LedgerNode node;
  private final TimeJournals journals;
  private final TLedgerLink link;
  private final LedgerId tLedger;
  private final SubmittedLedgers submits;
  private final Duration interval;
  private final Signatures signatures;
  private final TLedgerWatch watch;
  private final Map<LedgerId, Standing> standings = new ConcurrentHashMap<>();
  private final Map<LedgerId, OwnChain> chains = new ConcurrentHashMap<>();
  private final Set<LedgerId> readBack = new HashSet<>();
  private final SeenTLedger seen;

  /// Held while a head is under way: entries of a ledger follow each other, and so do the heads of
  /// the T-Ledger.
  private final ReentrantLock turn = new ReentrantLock(true);

  private final Rounds rounds = new Rounds("t-ledger-peg", LOOK, this::round);

  /// The entries of one ledger, as far as they are known.
  ///
  /// @param keys of the T-Ledger
  private record Standing(long sentMs, OptionalLong lastSize, ServiceKeys keys) {}

  /// The evidence for our keys of one ledger.
  private record OwnChain(ServiceKeys keys, Bytes chain) {}

  /// @param tLedger as it is pinned
  /// @param interval the least time between two heads of a ledger
  public TLedgerPeg(
      LedgerNode node,
      TimeJournals journals,
      TLedgerLink link,
      LedgerId tLedger,
      SubmittedLedgers submits,
      Duration interval,
      Signatures signatures,
      TLedgerWatch watch) {
    this.node = node;
    this.journals = journals;
    this.link = link;
    this.tLedger = tLedger;
    this.submits = submits;
    this.interval = interval;
    this.signatures = signatures;
    this.watch = watch;
    this.seen = new SeenTLedger(link);
  }

  public void start() {
    rounds.start();
  }

  /// Submits what is due.
  ///
  /// @return whether all went well; if not, the next round had better wait
  boolean round() throws InterruptedException {
    if (watch.contradicted()) {
      return true;
    }
    try {
      return submitAll();
    } catch (RequestRejectedException _) { // the node answers nothing now, as its health says
      return false;
    }
  }

  private boolean submitAll() throws InterruptedException, RequestRejectedException {
    boolean well = true;
    for (LedgerId each : submits.listed()) { // the heads of all others are not looked through
      if (submits.include(each) && !watch.contradicted()) {
        well &= submitted(new StrandId(each, 0));
      }
    }
    return submits.listed().isEmpty() ? submitOfAll() : well;
  }

  private boolean submitOfAll() throws InterruptedException, RequestRejectedException {
    boolean well = true;
    List<UnanchoredHead> page = journals.unanchored(null, PAGE);
    while (!page.isEmpty()) {
      for (UnanchoredHead head : page) {
        if (submits.include(head.strand().ledger()) && !watch.contradicted()) {
          well &= submitted(head.strand());
        }
      }
      page = page.size() < PAGE ? List.of() : journals.unanchored(page.getLast().strand(), PAGE);
    }
    return well;
  }

  private boolean submitted(StrandId strand) throws InterruptedException {
    turn.lockInterruptibly();
    try {
      Standing known = standings.get(strand.ledger());
      if (known != null && node.timeMs() - known.sentMs() < interval.toMillis()) {
        return true;
      }
      if (waits(strand)) {
        StampedHead _ = journalled(entered(strand));
      }
      return true;
    } catch (ContradictedException e) {
      watch.contradicted(strand, e);
      return false;
    } catch (RequestRejectedException
        | ProofRejectedException
        | IOException
        | RuntimeException e) { // a peg that ends says nothing any more
      failed(strand, e);
      return false;
    } finally {
      turn.unlock();
    }
  }

  private boolean waits(StrandId strand) throws RequestRejectedException {
    try {
      return journals.newest(strand).covering().isEmpty();
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.UNKNOWN_LEDGER) {
        return false; // listed before it is founded
      }
      throw e;
    }
  }

  @Override
  public boolean takes(LedgerId ledger) {
    return submits.include(ledger);
  }

  @Override
  public StampedHead stamp(StrandId strand, Checkpoint head)
      throws NoTimeException, RequestRejectedException, InterruptedException {
    turn.lockInterruptibly();
    try {
      Optional<StampedHead> meanwhile = journals.newest(strand).covering();
      return meanwhile.isPresent() ? meanwhile.get() : journalled(enteredOrNoTime(strand));
    } finally {
      turn.unlock();
    }
  }

  private TimeAnchor enteredOrNoTime(StrandId strand) throws NoTimeException {
    if (watch.contradicted()) {
      throw noTime("contradicted");
    }
    try {
      return entered(strand);
    } catch (ContradictedException e) {
      watch.contradicted(strand, e);
      throw noTime("contradicted");
    } catch (RequestRejectedException | ProofRejectedException | IOException e) {
      failed(strand, e);
      throw noTime("not_taken");
    }
  }

  private NoTimeException noTime(String code) {
    return new NoTimeException(List.of(new TimeFailure("T-Ledger " + tLedger, code)));
  }

  private void failed(StrandId strand, Exception failure) {
    standings.remove(strand.ledger());
    watch.failed(strand, failure);
  }

  private StampedHead journalled(TimeAnchor anchor) throws RequestRejectedException {
    AnchoredAt landed = journals.append(anchor);
    watch.anchored(anchor.strand(), landed);
    return new StampedHead(landed.jsn(), landed.timeMs(), anchor.provenMs(), anchor.head());
  }

  /// The newest head's entry. The lock is held.
  private TimeAnchor entered(StrandId strand)
      throws RequestRejectedException, ProofRejectedException, ContradictedException, IOException {
    LedgerId ledger = strand.ledger();
    Standing known = standings.get(ledger);
    long nowMs = node.timeMs();
    SignedNote signed = decode(Bytes.wrap(node.checkpoint(strand)));
    Standing standing = known == null ? introduced(strand) : known;
    if (!readBack.contains(ledger)) {
      Optional<EntryInclusion> newestShown = newestShown(strand, standing.keys());
      if (newestShown.isPresent()) {
        seen.accept(newestShown.get().head());
      }
      readBack.add(ledger);
    }
    Checkpoint head = checkpoint(signed);
    standings.put(
        ledger, new Standing(nowMs, OptionalLong.of(head.size().value()), standing.keys()));
    return submit(strand, signed, head, standing);
  }

  private Standing introduced(StrandId strand)
      throws RequestRejectedException, ProofRejectedException, IOException {
    TLedgerLink.Introduction introduction = link.introduce(strand.ledger());
    try {
      ServiceKeys keys =
          KeyChain.decode(introduction.keyChain())
              .verify(introduction.genesisParams(), new StrandId(tLedger, 0), signatures)
              .keys();
      return new Standing(0, introduction.lastSize(), keys);
    } catch (MalformedException e) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.MALFORMED, "the T-Ledger's key chain", e);
    }
  }

  private TimeAnchor submit(StrandId strand, SignedNote signed, Checkpoint head, Standing standing)
      throws RequestRejectedException, ProofRejectedException, ContradictedException, IOException {
    long size = head.size().value();
    BlockView block = node.blockOf(strand, size - 1);
    InclusionProof seal = node.inclusion(strand, block.sealJsn(), size).inclusion();
    Optional<HeadEntry.Growth> growth = Optional.empty();
    if (standing.lastSize().isPresent()) {
      long from = standing.lastSize().getAsLong();
      growth =
          Optional.of(
              new HeadEntry.Growth(
                  from,
                  from == size
                      ? List.of() // entered before, and its answer was lost or came too late
                      : node.consistency(strand, from, size).path()));
    }
    OwnChain own = ownChain(strand.ledger());
    NoteKey line =
        new NoteKey(own.keys().authority().origin(strand), own.keys().noteKey(head.size()));
    HeadEntry entry =
        new HeadEntry(signed.byAlone(line).encode(), block.sealLeaf(), seal.path(), growth);
    TakenHead taken =
        link.submit(
            new SubmittedHead(
                node.ledger(strand.ledger()).genesisParams(), own.chain(), entry.encode()));
    TimeProof.TLedger proof = taken.proof();
    EntryInclusion shown = shown(proof, strand, head, standing);
    seen.accept(shown.head());
    return new TimeAnchor(strand, head, proof, shown.timeMs());
  }

  /// The entry that the newest time journal with one of the T-Ledger shows: how far the T-Ledger
  /// was.
  private Optional<EntryInclusion> newestShown(StrandId strand, ServiceKeys keys)
      throws RequestRejectedException, ProofRejectedException {
    String origin = node.serviceKeys(strand.ledger()).authority().origin(strand);
    Optional<Long> at = journals.lastAt(strand, Long.MAX_VALUE).map(ProvenTime::jsn);
    for (int i = 0; i < READ_BACK_MAX && at.isPresent(); i++) {
      Optional<Extension.Time> read = time(strand, at.get());
      if (read.isEmpty()) {
        return Optional.empty();
      }
      Extension.Time time = read.get();
      if (time.proof() instanceof TimeProof.TLedger proof && proof.ledger().equals(tLedger)) {
        Checkpoint stamped = new Checkpoint(origin, time.size(), time.root());
        return Optional.of(
            EntryInclusion.verify(proof, strand.ledger(), stamped, keys, signatures));
      }
      at = time.previous().map(previous -> previous.jsn().value());
    }
    return Optional.empty();
  }

  /// @return empty if it was purged
  private Optional<Extension.Time> time(StrandId strand, long jsn)
      throws RequestRejectedException, ProofRejectedException {
    try {
      Leaf leaf = Leaf.decode(node.journal(strand, jsn, false).leaf());
      if (leaf instanceof JournalLeaf journal
          && RequestHeader.decode(journal.header()).extension() instanceof Extension.Time time) {
        return Optional.of(time);
      }
      throw new ProofRejectedException(
          ProofRejectedException.Reason.WRONG_TYPE, "journal " + jsn + " is no time journal");
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.PURGED || e.code() == RejectionCode.PRUNED) {
        return Optional.empty();
      }
      throw e;
    } catch (MalformedException e) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.MALFORMED, "our own journal " + jsn, e);
    }
  }

  /// At least as new as the head that was read before.
  private OwnChain ownChain(LedgerId ledger) throws RequestRejectedException {
    ServiceKeys keys = node.serviceKeys(ledger);
    OwnChain known = chains.get(ledger);
    if (known == null || !known.keys().equals(keys)) {
      known = new OwnChain(keys, node.keyChain(ledger).encode());
      chains.put(ledger, known);
    }
    return known;
  }

  private EntryInclusion shown(
      TimeProof.TLedger proof, StrandId strand, Checkpoint head, Standing standing)
      throws RequestRejectedException, ProofRejectedException, IOException {
    LedgerId ledger = strand.ledger();
    try {
      return EntryInclusion.verify(proof, ledger, head, standing.keys(), signatures);
    } catch (ProofRejectedException e) {
      if (e.reason() != ProofRejectedException.Reason.WRONG_KEY) {
        throw e;
      }
      // The T-Ledger's own keys may have been rotated.
      Standing again = introduced(strand);
      standings.computeIfPresent(
          ledger, (_, now) -> new Standing(now.sentMs(), now.lastSize(), again.keys()));
      return EntryInclusion.verify(proof, ledger, head, again.keys(), signatures);
    }
  }

  private static SignedNote decode(Bytes note) throws ProofRejectedException {
    try {
      return SignedNote.decode(note);
    } catch (MalformedException e) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.MALFORMED, "our own checkpoint", e);
    }
  }

  private static Checkpoint checkpoint(SignedNote note) throws ProofRejectedException {
    try {
      return Checkpoint.parse(note.text());
    } catch (MalformedException e) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.MALFORMED, "our own checkpoint", e);
    }
  }

  @Override
  public void close() {
    rounds.interrupt();
    link.close();
    rounds.close();
  }
}
