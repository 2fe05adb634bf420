package io.tallystick.client;

import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.client.failure.LineageTooLongException;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.internal.read.LedgerReader;
import io.tallystick.client.internal.read.MemberDirectory;
import io.tallystick.client.journal.JournalOutcome;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.lineage.LineageRange;
import io.tallystick.client.lineage.LineageReader;
import io.tallystick.client.lineage.LineageWalk;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.evidence.Anchor;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyOpening;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Trusted anchors of a ledger: heads up to which nothing is verified again. Those that this user
/// sets are kept in the trust directory; those that members share lie with the service, each signed
/// by who set it. Thread-safe. Source: LedgerDB section 5.3, `docs/formats/trust.md`.
public final class LedgerAnchors {
  /// A time journal and its seal.
  private static final int TIME_BLOCK_LEAVES = 2;

  private final LedgerCalls calls;
  private final LedgerReader reader;
  private final MemberDirectory members;
  private final LineageReader lineage;
  private final LedgerRemovals removals;
  private final TrustedLog log;
  private final List<ClientKey> keys;
  private final InstantSource clock;

  LedgerAnchors(
      LedgerCalls calls,
      LedgerReader reader,
      MemberDirectory members,
      LineageReader lineage,
      LedgerRemovals removals,
      TrustedLog log,
      List<ClientKey> keys,
      InstantSource clock) {
    this.calls = calls;
    this.reader = reader;
    this.members = members;
    this.lineage = lineage;
    this.removals = removals;
    this.log = log;
    this.keys = List.copyOf(keys);
    this.clock = clock;
  }

  /// Sets a head as an anchor of this user, durably. It is joined to the trusted log first.
  public void set(SignedHead head) throws TallyException {
    log.setAnchor(head);
  }

  /// The anchors of this user, ascending by size; 64 at most.
  public List<SignedHead> list() {
    return log.anchors().all();
  }

  /// Signs a head with the handle's first key and has the service keep it for all members, which is
  /// read back. Whoever shares an anchor says that the log was verified up to there.
  ///
  /// @return the signed anchor
  /// @throws IllegalStateException if the handle has no key
  public Bytes share(SignedHead head) throws TallyException {
    if (keys.isEmpty()) {
      throw new IllegalStateException("this handle has no key to sign with");
    }
    log.join(head);
    StrandId strand = log.trust().strand();
    Bytes anchor = new Anchor(strand, head.size(), head.root()).sign(keys.getFirst().signer());
    calls.setAnchor(anchor);
    checkShared(head);
    return anchor;
  }

  /// Another member may share the same head; it is the one of that size that the service gives.
  private void checkShared(SignedHead head) throws TallyException {
    String found;
    try {
      SignedHead shown = nearest(head.size()).head();
      if (shown.size().equals(head.size())) {
        return;
      }
      found = "the nearest has size " + shown.size();
    } catch (RequestRefusedException e) {
      if (!e.code().equals(RejectionCode.OUT_OF_RANGE.wire())) {
        throw e;
      }
      found = "there is none";
    }
    throw log.refused(
        new ProofRejectedException(
            Reason.MISSING,
            String.format(
                Locale.ROOT,
                "the service took an anchor of size %s and does not give it: %s",
                head.size(),
                found)));
  }

  /// The largest anchor that members share.
  ///
  /// @throws RequestRefusedException `out_of_range` if there is none
  public VerifiedAnchor newest() throws TallyException {
    return verified(calls.anchor(Optional.empty()), Optional.empty());
  }

  /// The largest anchor of at most `size` leaves that members share.
  ///
  /// @throws RequestRefusedException `out_of_range` if there is none
  public VerifiedAnchor nearest(TreeSize size) throws TallyException {
    return verified(calls.anchor(Optional.of(size)), Optional.of(size));
  }

  /// Checks an anchor that came from anywhere: that a current member signed it, and that it is a
  /// head of the trusted log.
  public VerifiedAnchor verify(Bytes anchor) throws TallyException {
    return verified(anchor, Optional.empty());
  }

  private VerifiedAnchor verified(Bytes encoded, Optional<TreeSize> atMost) throws TallyException {
    StrandId strand = log.trust().strand();
    try {
      Digest kid = Anchor.decode(encoded, strand).kid();
      LedgerMember signer = signer(kid);
      Anchor.Signed signed =
          Anchor.verify(encoded, strand, unused -> Optional.of(signer.key()), log.signatures());
      Anchor anchor = signed.anchor();
      if (atMost.isPresent() && anchor.size().compareTo(atMost.get()) > 0) {
        throw new ProofRejectedException(
            Reason.WRONG_SIZE,
            String.format(
                Locale.ROOT, "anchor of size %s, want at most %s", anchor.size(), atMost.get()));
      }
      SignedHead head = head(anchor.size());
      if (!head.size().equals(anchor.size()) || !head.root().equals(anchor.root())) {
        throw new ProofRejectedException(
            Reason.ROOT_MISMATCH,
            String.format(
                Locale.ROOT,
                "the anchor of %s says root %s at size %s, the log has %s at %s",
                kid,
                anchor.root(),
                anchor.size(),
                head.root(),
                head.size()));
      }
      return new VerifiedAnchor(signed, head, encoded);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  /// The head of the block that ends there, joined to the trusted log.
  private SignedHead head(TreeSize size) throws TallyException {
    return reader.block(GetBlockRequest.newBuilder().setJsn(size.value() - 1)).head();
  }

  private LedgerMember signer(Digest kid) throws ProofRejectedException, TallyException {
    LedgerMember member =
        members
            .member(kid)
            .orElseThrow(() ->
                new ProofRejectedException(
                    Reason.NOT_A_MEMBER, "the anchor's signer " + kid + " is no member"));
    boolean expired =
        member.terms().notAfterMs().isPresent()
            && clock.millis() > member.terms().notAfterMs().getAsLong();
    if (member.revokedJsn().isPresent() || expired) {
      throw new ProofRejectedException(
          Reason.NOT_A_MEMBER, "the anchor's signer " + kid + " is revoked or has expired");
    }
    return member;
  }

  /// A journal, verified under the nearest anchor of this user above it, with one inclusion proof
  /// and no newer head; above all anchors under the newest trusted head that covers it.
  ///
  /// @throws RequestRefusedException `purged`, once it is verified by which purge
  public AnchoredJournal verify(Jsn jsn) throws TallyException {
    Optional<SignedHead> anchor = log.anchors().above(jsn);
    return new AnchoredJournal(removals.kept(jsn).journal(), anchor);
  }

  /// The same, and that `data` is its payload.
  ///
  /// @throws RequestRefusedException `erased` or `purged`, once it is verified by which removal
  /// @throws VerificationException `COMMITMENT_MISMATCH` if it is not, which is no alarm
  /// @throws IllegalArgumentException if the leaf is genesis or a seal
  public AnchoredJournal verify(Jsn jsn, Bytes data) throws TallyException {
    Optional<SignedHead> anchor = log.anchors().above(jsn);
    MemberDirectory.Shown shown = removals.withBody(jsn);
    JournalEntry entry = shown.entry();
    try {
      BodyOpening opening =
          BodyOpening.of(WireBytes.bytes(entry.getSalt()), WireBytes.bytes(entry.getBody()));
      int unused = opening.verify(shown.journal().header().orElseThrow(), data);
      return new AnchoredJournal(shown.journal(), anchor);
    } catch (ProofRejectedException e) {
      throw new VerificationException(e); // the service answered rightly
    } catch (MalformedException e) {
      throw reader.malformed("journal " + jsn, e);
    }
  }

  /// A clue's journals above this user's newest anchor, proven complete under the newest head.
  ///
  /// @throws LineageTooLongException if they are more than {@link
  ///   LedgerHandle#LINEAGE_JOURNALS_MAX}
  public AnchoredClue verify(String clue) throws TallyException {
    List<SignedHead> anchors = log.anchors().all();
    Optional<SignedHead> anchor =
        anchors.isEmpty() ? Optional.empty() : Optional.of(anchors.getLast());
    LineageRange range = LineageRange.forwards().withPagesOf(LineageRange.PAGE_MAX);
    LineageWalk walk =
        lineage.walk(
            clue, anchor.map(head -> range.from(new Jsn(head.size().value()))).orElse(range));
    List<LineageEntry> journals = new ArrayList<>();
    for (List<LineageEntry> page = walk.next(); !page.isEmpty(); page = walk.next()) {
      journals.addAll(page);
      if (journals.size() > LedgerHandle.LINEAGE_JOURNALS_MAX) {
        throw new LineageTooLongException(
            String.format(
                Locale.ROOT,
                "more than %d journals of the clue above the anchor; walk them",
                LedgerHandle.LINEAGE_JOURNALS_MAX));
      }
    }
    long before = walk.state().count() - journals.size();
    return new AnchoredClue(clue, walk.block(), anchor, before, journals);
  }

  /// The newest journal of a clue whose payload is `data`, verified as by {@link #verify(Jsn,
  /// Bytes)}. All of the clue's journals are looked through, those below the anchors, too; the
  /// bodies of those that may have such a payload are read.
  ///
  /// @throws RequestRefusedException `clue_deleted`
  /// @throws VerificationException `COMMITMENT_MISMATCH` if none has it, which is no alarm
  public AnchoredJournal verify(String clue, Bytes data) throws TallyException {
    LineageWalk walk =
        lineage.walk(clue, LineageRange.backwards().withPagesOf(LedgerHandle.GET_COUNT_MAX));
    int gone = 0;
    for (List<LineageEntry> page = walk.next(); !page.isEmpty(); page = walk.next()) {
      List<Jsn> candidates =
          page.stream()
              .filter(entry -> BodyOpening.mayHold(entry.header(), data.size()))
              .map(entry -> entry.leaf().jsn())
              .toList();
      if (candidates.isEmpty()) {
        continue;
      }
      for (JournalOutcome outcome : members.journals(candidates)) {
        LedgerJournal journal = outcome.orThrow();
        gone += journal.bodyState() == BodyState.PRESENT ? 0 : 1;
        if (journal.body().filter(body -> body.payload().equals(data)).isPresent()) {
          return new AnchoredJournal(journal, log.anchors().above(journal.jsn()));
        }
      }
    }
    throw new VerificationException(
        new ProofRejectedException(
            Reason.COMMITMENT_MISMATCH,
            String.format(
                Locale.ROOT,
                "none of the clue's %d journals has a bodyCommit to this payload%s",
                walk.state().count(),
                gone == 0 ? "" : "; " + gone + " that might are without their bodies")));
  }

  /// The time journal with the latest proven time that is not after `timeMs`. That there is no
  /// later one is the service's word. Source: LedgerDB Table 2, GetLastGrantTime.
  ///
  /// @throws RequestRefusedException `out_of_range` if there is none
  public GrantedTime lastGrantTime(long timeMs) throws TallyException {
    io.tallystick.api.v1.GrantedTime answer = calls.lastGrantTime(timeMs);
    long provenMs = answer.getProvenMs();
    try {
      if (answer.getJsn() < 0 || provenMs < 0 || provenMs > timeMs) {
        throw new ProofRejectedException(
            Reason.MALFORMED,
            String.format(
                Locale.ROOT,
                "time journal %d of %s, asked for at most %s",
                answer.getJsn(),
                Printable.time(provenMs),
                Printable.time(timeMs)));
      }
      return granted(answer.getJsn(), provenMs);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  /// Has the newest head stamped by the service's time authorities or its T-Ledger now, and waits
  /// for the time journal, which is verified as by {@link #lastGrantTime}. If the newest head is
  /// stamped already, that journal is answered. The reader is a member that may append. Source:
  /// LedgerDB Table 2, GrantTime.
  ///
  /// @throws RequestRefusedException `time_not_configured`; `time_not_stamped` with the reason of
  ///   each that was asked; `rate_limited` less than a minute after the last one
  public StampedTime requestTime() throws TallyException {
    long seen = log.head().map(head -> head.size().value()).orElse(0L);
    io.tallystick.api.v1.RequestedTime answer = calls.requestTime();
    long jsn = answer.getJsn();
    try {
      if (jsn < 0 || answer.getProvenMs() < 0) {
        throw new ProofRejectedException(Reason.MALFORMED, "time journal " + jsn);
      }
      GrantedTime granted = granted(jsn, answer.getProvenMs());
      Extension.Time time = granted.time();
      long size = time.size().value();
      if (size != answer.getSize()
          || !time.root().digest().equals(WireBytes.digest("root", answer.getRoot()))
          || granted.journal().leaf().timeMs() != answer.getTimeMs()) {
        throw new ProofRejectedException(
            Reason.LEAF_MISMATCH, "journal " + jsn + " is about another head than the answer");
      }
      // A head ends with a seal: above a head that it stamps, a time journal may stand with its
      // seal alone, and nothing else is left out then.
      if (seen > size && !(jsn == size && seen == size + TIME_BLOCK_LEAVES)) {
        throw new ProofRejectedException(
            Reason.LEAF_MISMATCH,
            String.format(
                Locale.ROOT,
                "journal %d stamps %d leaves, a head of %d was seen before",
                jsn,
                size,
                seen));
      }
      return new StampedTime(granted, answer.getExisted());
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  private GrantedTime granted(long jsn, long provenMs)
      throws ProofRejectedException, TallyException {
    LedgerJournal journal = members.journal(new Jsn(jsn));
    Optional<Extension> says = journal.header().map(RequestHeader::extension);
    if (says.isEmpty() || !(says.get() instanceof Extension.Time time)) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH, "journal " + journal.leaf().jsn() + " is no time journal");
    }
    long apart = Math.abs(journal.leaf().timeMs() - provenMs);
    if (apart > Limits.TIME_PROOF_SKEW_MS_MAX) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          String.format(Locale.ROOT, "the proven time is %d ms from the journal's", apart));
    }
    return new GrantedTime(journal, time, provenMs);
  }
}
