package io.tallystick.client;

import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.internal.append.SignedSubmission;
import io.tallystick.client.internal.read.JournalReader;
import io.tallystick.client.internal.read.LedgerReader;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.RejectionCode;
import io.tallystick.receipt.ReceiptFile;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Sends journals again whose outcome is unknown. The service knows a repeat until the request
/// expires, and then refuses it unseen. Whenever it refuses one for good, the log itself is looked
/// through, between the times at which the request can have been committed.
final class Resender {
  private static final int PAGE = LedgerHandle.LIST_LIMIT_MAX;

  /// Codes of refusals that are said of what was signed, and for good. Other refusals are said of
  /// the service itself, of damaged bytes, or for now.
  private static final Set<String> FINAL =
      EnumSet.of(
              RejectionCode.UNKNOWN_KEY,
              RejectionCode.REVOKED_KEY,
              RejectionCode.ROLE_NOT_ALLOWED,
              RejectionCode.FOUNDING_NOT_ALLOWED,
              RejectionCode.SIGNATURES_MISSING,
              RejectionCode.REGULATOR_TOO_NEW,
              RejectionCode.MEMBER_EXISTS,
              RejectionCode.LAST_OWNER,
              RejectionCode.LEDGER_CLOSED,
              RejectionCode.ALREADY_OCCULTED,
              RejectionCode.PURGE_TOO_LOW,
              RejectionCode.PURGE_UNANCHORED,
              RejectionCode.PURGE_OPEN,
              RejectionCode.SNAPSHOT_UNKNOWN,
              RejectionCode.RECALL_TOO_LATE,
              RejectionCode.ERASURE_BEGUN,
              RejectionCode.PRECONDITION_FAILED,
              RejectionCode.EXPIRED,
              RejectionCode.KIND_NOT_ENABLED,
              RejectionCode.FEATURE_NOT_ENABLED,
              RejectionCode.FEATURE_FORBIDS,
              RejectionCode.TARGET_INVALID,
              RejectionCode.PARAMETERS_INVALID,
              RejectionCode.CLUE_INVALID,
              RejectionCode.OPERATION_INVALID,
              RejectionCode.KEY_NOT_ALLOWED,
              RejectionCode.CERTIFICATE_INVALID)
          .stream()
          .map(RejectionCode::wire)
          .collect(Collectors.toUnmodifiableSet());

  private final Appender appender;
  private final LedgerReader reader;
  private final JournalReader journals;
  private final TrustedLog log;

  Resender(Appender appender, LedgerReader reader, JournalReader journals, TrustedLog log) {
    this.appender = appender;
    this.reader = reader;
    this.journals = journals;
    this.log = log;
  }

  /// @throws RequestRefusedException if it was not committed and the service takes it no more; its
  ///   detail says what shows that
  Resent.Journals resend(SignedSubmission submission) throws TallyException {
    try {
      return new Resent.Journals(
          appender.append(submission).receipts().stream().map(Resent.Standing::of).toList());
    } catch (RequestRefusedException e) {
      if (!isFinal(e)) {
        throw e;
      }
      return lookedUp(submission, e);
    }
  }

  /// Whether a refusal is said of what was signed, by a service that has the ledger, and for good.
  static boolean isFinal(RequestRefusedException refusal) {
    return FINAL.contains(refusal.code());
  }

  private Resent.Journals lookedUp(SignedSubmission submission, RequestRefusedException refusal)
      throws TallyException {
    try {
      VerifiedBlock newest = reader.block(GetBlockRequest.newBuilder().setLatest(true));
      Optional<Jsn> first = find(submission, newest);
      if (first.isPresent()) {
        return standing(submission, first.get());
      }
      refusal = never(submission, newest, refusal);
    } catch (RequestRefusedException e) {
      throw new ServiceUnavailableException(
          String.format(
              Locale.ROOT,
              "the request was refused (%s), and the log could not be searched for it: refused (%s): %s",
              refusal.code(),
              e.code(),
              e.detail()),
          true,
          e);
    }
    throw refusal;
  }

  /// @return where its first journal stands
  private Optional<Jsn> find(SignedSubmission submission, VerifiedBlock newest)
      throws TallyException {
    Bytes wanted = submission.requests().getFirst().header();
    Jsn from = firstSince(submission.clientTimeMs() - Limits.CLOCK_SKEW_MS_MAX, newest);
    Optional<Jsn> next = Optional.of(from);
    while (next.isPresent() && next.get().compareTo(newest.seal().jsn()) < 0) {
      JournalPage page = journals.list(next.get(), PAGE);
      for (LedgerJournal journal : page.journals()) {
        if (journal.leaf() instanceof JournalLeaf leaf && leaf.header().equals(wanted)) {
          return Optional.of(leaf.jsn());
        }
        if (journal.timeMs() > submission.expiresMs()) {
          return Optional.empty();
        }
      }
      next = page.next();
    }
    return Optional.empty();
  }

  /// The first leaf of the first block that was sealed at this time or later.
  private Jsn firstSince(long timeMs, VerifiedBlock newest) throws TallyException {
    SealLeaf found = newest.seal();
    long low = 0;
    long high = newest.height();
    while (low < high) {
      long middle = low + (high - low) / 2;
      SealLeaf seal = reader.block(GetBlockRequest.newBuilder().setHeight(middle)).seal();
      if (seal.timeMs() < timeMs) {
        low = middle + 1;
      } else {
        high = middle;
        found = seal;
      }
    }
    return found.firstJsn();
  }

  private Resent.Journals standing(SignedSubmission submission, Jsn first) throws TallyException {
    List<Resent.Standing> standing = new ArrayList<>();
    for (int i = 0; i < submission.count(); i++) {
      Jsn jsn = new Jsn(first.value() + i);
      ReceiptFile file = reader.unverifiedReceipt(jsn);
      SignedHead head = reader.join(file);
      try {
        if (!(io.tallystick.journal.Leaf.decode(file.leaf()) instanceof JournalLeaf leaf)
            || !leaf.header().equals(submission.requests().get(i).header())) {
          throw new ProofRejectedException(
              Reason.LEAF_MISMATCH, "journal " + jsn + " is not the one that was sent");
        }
        standing.add(new Resent.Standing(jsn, leaf.timeMs(), head, file, true));
      } catch (ProofRejectedException e) {
        throw log.refused(e);
      } catch (io.tallystick.model.MalformedException e) {
        throw reader.malformed("journal " + jsn, e);
      }
    }
    return new Resent.Journals(standing);
  }

  private static RequestRefusedException never(
      SignedSubmission submission, VerifiedBlock newest, RequestRefusedException refusal) {
    String detail =
        String.format(
            Locale.ROOT,
            "%s; it is not among the %s leaves of the newest head, sealed at %s%s",
            refusal.detail(),
            newest.head().size(),
            newest.sealedAt(),
            newest.seal().timeMs() > submission.expiresMs() ? ", after it expired" : "");
    return new RequestRefusedException(
        refusal.code(),
        detail,
        false,
        refusal.index(),
        refusal.limit(),
        refusal.jsn(),
        refusal.retryAfter(),
        refusal.httpStatus(),
        refusal.operation(),
        refusal.key());
  }
}
