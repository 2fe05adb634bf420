package io.tallystick.client;

import io.tallystick.api.v1.Erasure;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.internal.read.LedgerReader;
import io.tallystick.client.internal.read.MemberDirectory;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.client.journal.JournalOutcome;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.lineage.LineageRange;
import io.tallystick.client.lineage.LineageReader;
import io.tallystick.client.lineage.LineageWalk;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.RequestHeader;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.Role;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.removal.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// The removals of a ledger: what an occult would erase, and by whose order a body was erased.
/// Thread-safe. Source: `docs/removal.md`.
public final class LedgerRemovals {
  private static final int READ_TOGETHER = 100;

  private final LedgerCalls calls;
  private final LedgerReader reader;
  private final MemberDirectory members;
  private final LineageReader lineage;
  private final TrustedLog log;

  LedgerRemovals(
      LedgerCalls calls,
      LedgerReader reader,
      MemberDirectory members,
      LineageReader lineage,
      TrustedLog log) {
    this.calls = calls;
    this.reader = reader;
    this.members = members;
    this.lineage = lineage;
    this.log = log;
  }

  /// Names journals that were read for an occult, in any order.
  ///
  /// @param seen 1 to 100, distinct
  /// @throws IllegalArgumentException also if one has no body that can be erased, or none any more
  public static ErasureTarget naming(List<LedgerJournal> seen) {
    List<JournalRef> named = new ArrayList<>();
    for (LedgerJournal journal : seen) {
      if (journal.header().map(header -> header.kind().governance()).orElse(true)) {
        throw new IllegalArgumentException("journal " + journal.jsn() + " has no body to erase");
      }
      if (journal.bodyState() == BodyState.ERASED) {
        throw erasedAlready(journal);
      }
      named.add(new JournalRef(journal.jsn(), journal.leaf().leafHash()));
    }
    named.sort(Comparator.comparing(JournalRef::jsn));
    return new ErasureTarget.Journals(named);
  }

  /// Names all journals of a clue between two jsns, both included, for an occult.
  public ErasureTarget naming(String clue, Jsn first, Jsn last) {
    return new ErasureTarget.OfClue(Commitments.clueId(log.trust().ledger(), clue), first, last);
  }

  /// The journals of a clue between two jsns, both included, proven to be all of them under the
  /// newest head: what an occult of them would erase. Each is read, to see that its body is there.
  ///
  /// @throws IllegalArgumentException if `last` does not exist yet, or the body of one of them is
  ///   erased already: such an occult is refused
  /// @throws RequestRefusedException `clue_deleted`; `purged`
  public List<LineageEntry> journals(String clue, Jsn first, Jsn last) throws TallyException {
    List<LineageEntry> found = new ArrayList<>();
    LineageWalk walk = lineage.walk(clue, LineageRange.forwards().from(first));
    if (last.value() >= walk.head().size().value()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "journal %s does not exist; the newest head has size %s",
              last,
              walk.head().size()));
    }
    for (List<LineageEntry> page = walk.next(); !page.isEmpty(); page = walk.next()) {
      List<LineageEntry> within =
          page.stream().filter(entry -> entry.jsn() <= last.value()).toList();
      checkErasable(within);
      found.addAll(within);
      if (within.size() < page.size()) {
        break;
      }
    }
    return List.copyOf(found);
  }

  private void checkErasable(List<LineageEntry> entries) throws TallyException {
    for (int at = 0; at < entries.size(); at += READ_TOGETHER) {
      List<Jsn> jsns =
          entries.subList(at, Math.min(entries.size(), at + READ_TOGETHER)).stream()
              .map(entry -> entry.leaf().jsn())
              .toList();
      for (JournalOutcome outcome : members.journals(jsns)) {
        LedgerJournal journal = outcome.orThrow();
        if (journal.bodyState() == BodyState.ERASED) {
          throw erasedAlready(journal);
        }
      }
    }
  }

  private static IllegalArgumentException erasedAlready(LedgerJournal journal) {
    return new IllegalArgumentException("the body of " + journal.jsn() + " is erased already");
  }

  /// Asks the service for the snapshot of a purge. Nothing in it is verified: whoever signs the
  /// purge makes it again from the log (`tally purge sign`).
  ///
  /// @param height of the last block that would go
  /// @param absent kids of affected members who do not sign
  /// @throws RequestRefusedException as `docs/removal.md` says
  public Snapshot preparePurge(long height, List<Digest> absent) throws TallyException {
    try {
      return Snapshot.decode(calls.preparePurge(height, absent));
    } catch (MalformedException e) {
      throw reader.malformed("snapshot of block " + height, e);
    }
  }

  /// The certificate of a removal, verified from genesis; its receipts join the trusted log.
  ///
  /// @param jsn of the removal, or of a journal that it erased
  /// @return the file, which needs no service to be verified
  public Bytes certificate(Jsn jsn) throws TallyException {
    Bytes file = calls.removalCertificate(jsn);
    try {
      RemovalCertificate certificate = RemovalCertificate.decode(file);
      RemovalCertificate.Verified verified =
          certificate.verify(log.trust().strand(), SignatureProviders.best());
      var unused = reader.join(ReceiptFile.decode(certificate.removal()));
      if (!concerns(verified, jsn)) {
        throw new ProofRejectedException(
            Reason.WRONG_JSN,
            String.format(
                Locale.ROOT,
                "certificate of removal %s, which does not concern %s",
                verified.removal().jsn(),
                jsn));
      }
      return file;
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("certificate for " + jsn, e);
    }
  }

  /// Whether a removal is at a jsn, or may have erased the journal there: of a long list only some
  /// are shown.
  private static boolean concerns(RemovalCertificate.Verified verified, Jsn jsn) {
    long first = verified.statement().first().value();
    return verified.removal().jsn().equals(jsn)
        || (jsn.value() >= first && jsn.compareTo(verified.removal().jsn()) < 0);
  }

  /// @return empty if the body is not erased
  Optional<ErasedBody> erasure(Jsn jsn) throws TallyException {
    LedgerJournal erased;
    try {
      erased = members.journal(jsn);
    } catch (RequestRefusedException e) {
      if (!e.code().equals(RejectionCode.PURGED.wire())) {
        throw e;
      }
      return Optional.of(shown(jsn, answer(sealBelow(e, jsn)), Optional.empty()));
    }
    return erased.bodyState() == BodyState.ERASED
        ? Optional.of(shown(jsn, answer(jsn), Optional.of(erased)))
        : Optional.empty();
  }

  /// A journal, whether its body is there or not.
  ///
  /// @throws RequestRefusedException `purged`, once it is verified by which purge
  MemberDirectory.Shown kept(Jsn jsn) throws TallyException {
    try {
      return members.shown(jsn);
    } catch (RequestRefusedException e) {
      if (!e.code().equals(RejectionCode.PURGED.wire())) {
        throw e;
      }
      ErasedBody by = erasure(jsn).orElseThrow(() -> e);
      throw gone(RejectionCode.PURGED, "journal " + jsn + " was purged", by);
    }
  }

  /// A journal with its body.
  ///
  /// @throws RequestRefusedException `erased` or `purged`, once it is verified by which removal;
  ///   `damaged`
  /// @throws IllegalArgumentException if the leaf is genesis or a seal
  MemberDirectory.Shown withBody(Jsn jsn) throws TallyException {
    MemberDirectory.Shown shown = kept(jsn);
    return switch (shown.journal().bodyState()) {
      case PRESENT -> shown;
      case ERASED ->
          throw gone(
              RejectionCode.ERASED,
              "the body of journal " + jsn + " was erased",
              shownErasure(jsn));
      case DAMAGED ->
          throw refused(
              RejectionCode.DAMAGED,
              "the body of journal " + jsn + " is damaged, says the service",
              jsn,
              500);
      case NONE ->
          throw new IllegalArgumentException(
              "leaf " + jsn + " is genesis or a seal, which has no body");
    };
  }

  private RequestRefusedException gone(RejectionCode code, String what, ErasedBody by) {
    return refused(
        code,
        String.format(
            Locale.ROOT,
            "%s by journal %s; `tally certificate %s %s` says on whose order",
            what,
            by.removal(),
            log.trust().ledger(),
            by.removal()),
        by.removal(),
        code == RejectionCode.ERASED ? 451 : 410);
  }

  private static RequestRefusedException refused(
      RejectionCode code, String detail, Jsn jsn, int httpStatus) {
    return new RequestRefusedException(
        code.wire(),
        detail,
        false,
        OptionalInt.empty(),
        OptionalLong.empty(),
        OptionalLong.of(jsn.value()),
        Duration.ZERO,
        httpStatus);
  }

  /// The erasure of a body that the service has said to be erased.
  ///
  /// @throws VerificationException also if it gives the body after all
  public ErasedBody shownErasure(Jsn jsn) throws TallyException {
    Optional<ErasedBody> erased = erasure(jsn);
    if (erased.isEmpty()) {
      throw log.refused(
          new ProofRejectedException(
              Reason.MISSING,
              String.format(
                  Locale.ROOT, "the body of %s is erased in one answer and not in the next", jsn)));
    }
    return erased.get();
  }

  /// The last leaf that the purge removed which a refusal tells of. It is a seal, so nothing but a
  /// purge can have removed it; another journal may have been erased by an occult before.
  private static Jsn sealBelow(RequestRefusedException refusal, Jsn jsn) {
    long firstKept = refusal.limit().orElse(0);
    return firstKept > jsn.value() ? new Jsn(firstKept - 1) : jsn;
  }

  /// @param erased the journal; empty if there is nothing of it any more
  private ErasedBody shown(Jsn jsn, Erasure answer, Optional<LedgerJournal> erased)
      throws TallyException {
    try {
      ReceiptFile file = ReceiptFile.decode(WireBytes.bytes(answer.getReceiptFile()));
      var unused = reader.join(file);
      if (answer.getRemovalJsn() < 0 || answer.getDoneMs() < 0) {
        throw new MalformedException("jsn or time above 2^63-1");
      }
      LedgerJournal removal = members.journal(new Jsn(answer.getRemovalJsn()));
      checkShown(removal, file, answer);
      Extension.Removal asked = asked(removal, jsn, erased);
      List<ErasedBody.Signer> signers = signers(removal);
      if (!ErasedBody.suffices(asked, signers)) {
        throw new ProofRejectedException(
            Reason.NOT_A_MEMBER,
            String.format(
                Locale.ROOT,
                "removal %s is signed by %s, want an owner%s",
                removal.jsn(),
                signers,
                asked instanceof Extension.Occult ? " and a regulator" : ""));
      }
      return new ErasedBody(
          jsn,
          removal.jsn(),
          asked,
          signers,
          removal.timeMs(),
          answer.hasDoneMs() ? OptionalLong.of(answer.getDoneMs()) : OptionalLong.empty(),
          file);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("erasure of " + jsn, e);
    }
  }

  private Erasure answer(Jsn jsn) throws TallyException {
    try {
      return calls.erasure(jsn);
    } catch (RequestRefusedException e) {
      if (!e.code().equals(RejectionCode.OUT_OF_RANGE.wire())) {
        throw e;
      }
      throw log.refused(
          new ProofRejectedException(
              Reason.MISSING,
              String.format(
                  Locale.ROOT,
                  "the body of journal %s is withheld, and no removal of it is shown",
                  jsn),
              e));
    }
  }

  /// That receipt and attestation are those of the journal in the log.
  private static void checkShown(LedgerJournal removal, ReceiptFile file, Erasure answer)
      throws ProofRejectedException {
    if (!(removal.leaf() instanceof JournalLeaf leaf) || !leaf.encode().equals(file.leaf())) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH, "the receipt is of another journal than " + removal.jsn());
    }
    Digest shown = Attestation.hash(WireBytes.bytes(answer.getAttestation()));
    if (!shown.equals(leaf.attestHash())) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          "attestation hashes to " + shown + ", the leaf says " + leaf.attestHash());
    }
  }

  private static Extension.Removal asked(
      LedgerJournal removal, Jsn jsn, Optional<LedgerJournal> erased)
      throws ProofRejectedException {
    Extension said = removal.header().map(RequestHeader::extension).orElse(Extension.None.INSTANCE);
    boolean erases =
        switch (said) {
          case Extension.Occult occult ->
              erased.isPresent() && names(occult.target(), erased.get());
          case Extension.Purge purge -> jsn.compareTo(purge.firstKept()) < 0;
          default -> false;
        };
    if (!erases || removal.jsn().compareTo(jsn) <= 0) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          String.format(
              Locale.ROOT,
              "journal %s does not erase %s of %s",
              removal.jsn(),
              erased.isPresent() ? "the body" : "all",
              jsn));
    }
    return (Extension.Removal) said;
  }

  private static boolean names(ErasureTarget target, LedgerJournal journal) {
    if (journal.header().map(header -> header.kind().governance()).orElse(true)) {
      return false;
    }
    return switch (target) {
      case ErasureTarget.Journals(List<JournalRef> named) ->
          named.contains(new JournalRef(journal.jsn(), journal.leaf().leafHash()));
      case ErasureTarget.OfClue(Digest clueId, Jsn first, Jsn last) ->
          first.compareTo(journal.jsn()) <= 0
              && journal.jsn().compareTo(last) <= 0
              && journal.header().orElseThrow().clueIds().contains(clueId);
    };
  }

  /// Their signatures are verified; here it is looked at what they were.
  private List<ErasedBody.Signer> signers(LedgerJournal removal) throws TallyException {
    Map<Digest, LedgerMember> known = new HashMap<>();
    members.members().forEach(member -> known.put(member.kid(), member));
    List<ErasedBody.Signer> signers = new ArrayList<>();
    for (Digest kid : removal.signers()) {
      LedgerMember member = known.get(kid);
      Optional<Role> role =
          member == null || !member.knownAt(removal.jsn())
              ? Optional.empty()
              : Optional.of(member.role());
      signers.add(new ErasedBody.Signer(kid, role));
    }
    return signers;
  }
}
