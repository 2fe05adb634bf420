package io.tallystick.client;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.ListProposalsResponse;
import io.tallystick.api.v1.OpenProposal;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.internal.read.MemberDirectory;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.ProposalCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.cose.CoseSign1;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.StrandId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Requests that several members sign one after the other, as the service keeps them: until they
/// have the signatures they need, and then until they expire. What the service shows of them is its
/// word; what is asked for stands in the proposal, which is checked to be the one that its hash
/// names. Reading needs the token of a member that may append. Thread-safe.
public final class LedgerProposals {
  /// The most proposals that a service keeps for one ledger, as `docs/access.md` says.
  private static final int KEPT_MAX = 1_000;

  private final ProposalCalls calls;
  private final MemberDirectory members;
  private final TrustedLog log;
  private final StrandId strand;
  private final DraftMaker drafts;
  private final List<ClientKey> keys;

  LedgerProposals(
      ProposalCalls calls,
      MemberDirectory members,
      TrustedLog log,
      DraftMaker drafts,
      List<ClientKey> keys) {
    this.calls = calls;
    this.members = members;
    this.log = log;
    this.strand = log.trust().strand();
    this.drafts = drafts;
    this.keys = List.copyOf(keys);
  }

  /// A request of this ledger that nobody has signed. Nothing is sent.
  ///
  /// @param kind 16 or above
  /// @param validity how long it can be submitted from now on, 30 days at most
  public Proposal draft(Kind kind, Extension asked, Duration validity) {
    long validMs = validity.toMillis();
    if (validMs < 1 || validMs > Limits.GOVERNANCE_WINDOW_MS_MAX) {
      throw new IllegalArgumentException("validity " + validity + ", want 1 ms to 30 days");
    }
    return Proposal.of(drafts.govern(kind, asked, validMs).build());
  }

  /// Signs with the handle's keys, and has the service keep the proposal; or adds the signatures to
  /// the one it keeps. With the last one that is needed, the service submits it and answers what
  /// became of it.
  ///
  /// @throws IllegalStateException if nobody has signed it and the handle has no key
  /// @throws IllegalArgumentException if it is a purge that one of the handle's keys has not
  ///   signed; see {@link #sign}
  public ProposalStatus put(Proposal proposal) throws TallyException {
    Proposal signed = proposal;
    for (ClientKey key : keys) {
      if (!signed.signedBy(key.kid())) {
        checkNoPurge(proposal);
        signed = signed.signedBy(key.signer());
      }
    }
    if (signed.signatures().isEmpty()) {
      throw new IllegalStateException("nobody has signed, and this handle has no key to sign with");
    }
    return status(calls.put(signed), proposal.requestHash());
  }

  /// All that are kept, ascending by hash; one page after the other.
  public List<ProposalStatus> list() throws TallyException {
    List<ProposalStatus> all = new ArrayList<>();
    ByteString after = ByteString.EMPTY;
    try {
      while (true) {
        ListProposalsResponse page = calls.page(after);
        for (OpenProposal each : page.getProposalsList()) {
          all.add(ProposalStatus.of(each));
        }
        after = page.getNextAfterRequestHash();
        // A service that never ends would go round for ever.
        if (after.isEmpty() || page.getProposalsCount() == 0 || all.size() > KEPT_MAX) {
          break;
        }
      }
      for (int i = 0; i < all.size(); i++) {
        all.set(i, checked(all.get(i)));
      }
      return List.copyOf(all);
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  public ProposalStatus status(Digest requestHash) throws TallyException {
    return status(calls.get(requestHash), requestHash);
  }

  /// The proposal itself, to look at before it is signed.
  public Proposal get(Digest requestHash) throws TallyException {
    OpenProposal answer = calls.get(requestHash);
    try {
      Proposal proposal = Proposal.decode(WireBytes.bytes(answer.getProposal()));
      if (!proposal.requestHash().equals(requestHash)
          || !proposal.request().strand().equals(strand)) {
        throw new ProofRejectedException(
            Reason.COMMITMENT_MISMATCH,
            "asked for proposal " + requestHash + ", got " + proposal.requestHash());
      }
      return proposal;
    } catch (MalformedException e) {
      throw new VerificationException(
          new ProofRejectedException(Reason.MALFORMED, String.valueOf(e.getMessage()), e));
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  /// Adds the signatures of the handle's keys to a proposal that was looked at.
  ///
  /// @throws IllegalStateException if the handle has no key
  /// @throws IllegalArgumentException if it is another ledger's, or if it is a purge: whoever signs
  ///   one makes its snapshot from the log first and compares (`AuditedSnapshot.verify` of
  ///   `ledger-audit`), signs with {@link Proposal#signedBy}, and hands it in with {@link #put}
  public ProposalStatus sign(Proposal seen) throws TallyException {
    checkNoPurge(seen);
    if (keys.isEmpty()) {
      throw new IllegalStateException("this handle has no key to sign with");
    }
    if (!seen.request().strand().equals(strand)) {
      throw new IllegalArgumentException(
          "proposal for " + seen.request().strand() + ", this is " + strand);
    }
    Digest requestHash = seen.requestHash();
    for (ClientKey key : keys.subList(0, keys.size() - 1)) {
      ProposalStatus unused = sign(requestHash, key);
    }
    return sign(requestHash, keys.getLast());
  }

  private static void checkNoPurge(Proposal proposal) {
    if (proposal.request().kind() == Kind.PURGE) {
      throw new IllegalArgumentException(
          "a purge is signed after AuditedSnapshot.verify, with Proposal.signedBy, and then put");
    }
  }

  private ProposalStatus sign(Digest requestHash, ClientKey key) throws TallyException {
    CoseSign1 signature = RequestSigner.signOne(strand, requestHash, key.signer());
    return status(calls.sign(requestHash, signature), requestHash);
  }

  /// Has the service forget a proposal that is not submitted yet; for owners and its signers.
  public void withdraw(Digest requestHash) throws TallyException {
    calls.withdraw(requestHash);
  }

  private ProposalStatus status(OpenProposal answer, Digest requestHash) throws TallyException {
    try {
      ProposalStatus status = ProposalStatus.of(answer);
      if (!status.requestHash().equals(requestHash)) {
        throw new ProofRejectedException(
            Reason.COMMITMENT_MISMATCH,
            "asked about proposal " + requestHash + ", told of " + status.requestHash());
      }
      return checked(status);
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  /// Checks a status: the journal that a proposal is said to be is looked up at its jsn, if it can
  /// be read.
  private ProposalStatus checked(ProposalStatus status)
      throws TallyException, ProofRejectedException {
    if (status.state() != ProposalStatus.State.COMMITTED) {
      return status;
    }
    Jsn jsn =
        status
            .jsn()
            .orElseThrow(() ->
                new ProofRejectedException(
                    Reason.MISSING, "proposal " + status.requestHash() + " without its jsn"));
    LedgerJournal journal;
    try {
      journal = members.journal(jsn);
    } catch (RequestRefusedException e) {
      if (!e.code().equals(RejectionCode.OUT_OF_RANGE.wire())) {
        return status;
      }
      throw log.refused(
          new ProofRejectedException(
              Reason.MISSING,
              String.format(
                  Locale.ROOT,
                  "proposal %s is said to be journal %s, which is refused: %s",
                  status.requestHash(),
                  jsn,
                  e.getMessage()),
              e));
    }
    Optional<Digest> is = journal.header().map(header -> RequestHeader.hash(header.encode()));
    if (!is.equals(Optional.of(status.requestHash()))) {
      throw log.refused(
          new ProofRejectedException(
              Reason.LEAF_MISMATCH,
              String.format(
                  Locale.ROOT,
                  "proposal %s is said to be journal %s, which is %s",
                  status.requestHash(),
                  jsn,
                  is.map(hash -> "request " + hash).orElse("no request"))));
    }
    return status.seen();
  }
}
