package io.tallystick.proxy.proposal;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.master.duty.CompleteProposals;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.node.NodeChange;
import io.tallystick.node.OpenProposals;
import io.tallystick.node.ProposalRules;
import io.tallystick.node.SignaturePolicy;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.execute.MemberKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Collects the signatures of requests that several members sign. Whoever brings a good signature
/// of a member that may append needs no token; who reads or withdraws needs that member's token,
/// also for a public ledger. What is kept is the node's; this holds no state. Thread-safe; calls
/// may wait for a disk and for a commit. Source: `docs/access.md`.
public final class Proposals {
  /// Tries against others who change the same proposal; each failed one means that another got on.
  private static final int ATTEMPTS_MAX = Limits.SIGNERS_OF_ALL_MAX + 8;

  private final LedgerRegistry registry;
  private final ReadAccess access;
  private final Signatures signatures;
  private final LedgerNode node;
  private final CompleteProposals complete;

  public Proposals(
      LedgerRegistry registry,
      ReadAccess access,
      Signatures signatures,
      LedgerNode node,
      CompleteProposals complete,
      MeterRegistry meters) {
    this.registry = registry;
    this.access = access;
    this.signatures = signatures;
    this.node = node;
    this.complete = complete;
    Gauge.builder("ledger.proposals.open", this, Proposals::openCount)
        .description("proposals that wait for signatures")
        .register(meters);
  }

  /// NaN while that is not known.
  private double openCount() {
    try {
      Optional<OpenProposals> kept = node.openProposals();
      return kept.isPresent() ? kept.get().openCount() : 0;
    } catch (RequestRejectedException _) {
      return Double.NaN;
    }
  }

  /// @throws RequestRejectedException `FEATURE_NOT_ENABLED` if the node keeps none
  private OpenProposals proposals() throws RequestRejectedException {
    return node.openProposals()
        .orElseThrow(() ->
            new RequestRejectedException(
                RejectionCode.FEATURE_NOT_ENABLED, "this service keeps no proposals"));
  }

  /// A page of a ledger's proposals, ascending by hash.
  ///
  /// @param next the last of them, which the next page begins after; empty if this was the last
  public record Page(List<ShownProposal> proposals, Optional<Digest> next) {
    public Page {
      proposals = List.copyOf(proposals);
    }
  }

  /// Keeps a proposal, or adds the signatures it brings to the one that is kept. Submits it if it
  /// has then the signatures it needs, and waits for what becomes of it.
  ///
  /// @param proposal with one signature at least
  /// @throws RequestRejectedException `WRONG_LEDGER`, `KIND_NOT_ENABLED`, `EXPIRED`, `TOO_EARLY`,
  ///   `WINDOW_TOO_LONG`, `MALFORMED`, `BAD_SIGNATURE`, `UNKNOWN_KEY`, `REVOKED_KEY`,
  ///   `ROLE_NOT_ALLOWED`, `RATE_LIMITED`, `TOO_MANY_PROPOSALS`
  public ShownProposal put(StrandId strand, Proposal proposal) throws RequestRejectedException {
    RequestHeader header = proposal.request();
    if (!header.strand().equals(strand)) {
      throw new RequestRejectedException(
          RejectionCode.WRONG_LEDGER,
          "proposal for " + header.strand() + ", it was sent to " + strand);
    }
    ProposalRules.checkMayBegin(header, registry.timeMs(), registry.clockMs());
    if (proposal.signatures().isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "nobody has signed the proposal; sign it before you put it");
    }
    checkSigners(strand, proposal.requestHash(), proposal.signatures());
    return merge(proposal);
  }

  /// Adds a signature to a proposal that is kept, as {@link #put} does.
  ///
  /// @throws RequestRejectedException also `UNKNOWN_PROPOSAL`
  public ShownProposal sign(StrandId strand, Digest requestHash, CoseSign1 signature)
      throws RequestRejectedException {
    checkSigners(strand, requestHash, List.of(signature));
    KeptProposal kept = kept(strand.ledger(), requestHash);
    Proposal bare = new Proposal(kept.proposal().header(), kept.proposal().salt(), List.of());
    return merge(bare.with(signature));
  }

  private void checkSigners(StrandId strand, Digest requestHash, List<CoseSign1> signed)
      throws RequestRejectedException {
    MemberKeys keys = new MemberKeys(registry, strand.ledger());
    List<AttestationVerifier.Signer> signers;
    try {
      signers =
          AttestationVerifier.verifyMembers(
              strand, requestHash.toBytes(), new Attestation(signed), keys, signatures);
    } catch (ProofRejectedException e) {
      throw keys.refusal().orElse(SubmissionVerifier.refused(e));
    }
    for (AttestationVerifier.Signer signer : signers) {
      access.signer(strand.ledger(), signer.kid());
    }
  }

  /// Everybody sees the same proposal, and one alone submits it: whoever puts the last signature
  /// that it needs in the place of what was kept.
  private ShownProposal merge(Proposal added) throws RequestRejectedException {
    OpenProposals proposals = proposals();
    LedgerId ledger = added.request().strand().ledger();
    SignaturePolicy policy = SignaturePolicy.of(added.request().kind());
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
      KeptProposal before = proposals.find(ledger, added.requestHash()).orElse(null);
      if (before != null && !before.takesSignatures()) {
        return shown(before);
      }
      Collection<Member> members = registry.members(ledger).members();
      Proposal merged = union(before, added);
      boolean enough = policy.missing(members, merged.signers(), registry.timeMs()).isEmpty();
      KeptProposal after =
          new KeptProposal(merged, enough ? Outcome.Submitting.INSTANCE : Outcome.Open.INSTANCE);
      if (proposals.replace(before, after)) {
        return shown(enough ? complete.submit(after) : after);
      }
    }
    throw new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "others are changing this proposal; try again");
  }

  /// Signatures of members that have lost the right to sign meanwhile are left out: the submission
  /// would be refused for them.
  private Proposal union(@Nullable KeptProposal before, Proposal added)
      throws RequestRejectedException {
    if (before == null) {
      return added;
    }
    List<CoseSign1> valid = new ArrayList<>();
    for (CoseSign1 each : before.proposal().signatures()) {
      if (ProposalRules.signing(node, before.ledger(), Proposal.kid(each)).isPresent()) {
        valid.add(each);
      }
    }
    try {
      Proposal merged = new Proposal(added.header(), added.salt(), valid);
      for (CoseSign1 each : added.signatures()) {
        merged = merged.with(each);
      }
      return merged;
    } catch (IllegalArgumentException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, String.valueOf(e.getMessage()), e);
    }
  }

  /// @throws RequestRejectedException `UNKNOWN_PROPOSAL`; as {@link ReadAccess#appender}
  public ShownProposal get(LedgerId ledger, Digest requestHash, Bearer bearer)
      throws RequestRejectedException {
    access.appender(ledger, bearer);
    return shown(kept(ledger, requestHash));
  }

  /// @param after null: from the first
  /// @throws RequestRejectedException as {@link ReadAccess#appender}
  public Page list(LedgerId ledger, @Nullable Digest after, int limit, Bearer bearer)
      throws RequestRejectedException {
    access.appender(ledger, bearer);
    // One more than asked for tells whether there is a next page.
    List<KeptProposal> found = proposals().list(ledger, after, limit + 1);
    boolean more = found.size() > limit;
    Collection<Member> members = registry.members(ledger).members();
    List<ShownProposal> page = new ArrayList<>();
    for (KeptProposal kept : more ? found.subList(0, limit) : found) {
      page.add(shown(kept, members));
    }
    return new Page(
        page, more ? Optional.of(page.getLast().kept().requestHash()) : Optional.empty());
  }

  /// Forgets a proposal that is not submitted yet.
  ///
  /// @throws RequestRejectedException `UNKNOWN_PROPOSAL`; `ROLE_NOT_ALLOWED` unless an owner asks
  ///   or, while no owner has signed it, one of its signers; `REPLAYED` if it is submitted
  public void withdraw(LedgerId ledger, Digest requestHash, Bearer bearer)
      throws RequestRejectedException {
    Member member = access.appendingMember(ledger, bearer);
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
      KeptProposal kept = kept(ledger, requestHash);
      ProposalRules.checkMayWithdraw(node, member, kept);
      if (!kept.takesSignatures()) {
        throw submitted(kept);
      }
      if (node.change(new NodeChange.RemoveProposal(kept, bearer.ofMember()))) {
        return;
      }
    }
    throw new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "others are changing this proposal; try again");
  }

  private static RequestRejectedException submitted(KeptProposal kept) {
    RequestRejectedException refusal =
        new RequestRejectedException(
            RejectionCode.REPLAYED, "proposal " + kept.requestHash() + " is submitted already");
    return kept.outcome() instanceof Outcome.Committed(long jsn) ? refusal.atJsn(jsn) : refusal;
  }

  private KeptProposal kept(LedgerId ledger, Digest requestHash) throws RequestRejectedException {
    return proposals()
        .find(ledger, requestHash)
        .orElseThrow(() ->
            new RequestRejectedException(
                RejectionCode.UNKNOWN_PROPOSAL,
                "no proposal " + requestHash + " is kept for this ledger"));
  }

  private ShownProposal shown(KeptProposal kept) throws RequestRejectedException {
    return shown(kept, registry.members(kept.ledger()).members());
  }

  private ShownProposal shown(KeptProposal kept, Collection<Member> members)
      throws RequestRejectedException {
    SignaturePolicy policy = SignaturePolicy.of(kept.proposal().request().kind());
    List<Digest> kids = kept.proposal().signers();
    List<Member> signers = new ArrayList<>();
    for (Digest kid : kids) {
      members.stream().filter(member -> member.key().kid().equals(kid)).forEach(signers::add);
    }
    Optional<RequestRejectedException> impossible =
        kept.takesSignatures() ? impossible(kept) : Optional.empty();
    List<Member> missing =
        kept.takesSignatures() && impossible.isEmpty()
            ? policy.missing(members, kids, registry.timeMs())
            : List.of();
    return new ShownProposal(kept, policy, signers, missing, impossible);
  }

  private Optional<RequestRejectedException> impossible(KeptProposal kept) {
    try {
      registry.nodeOf(kept.ledger()).checkPossible(kept.proposal().request());
      return Optional.empty();
    } catch (RequestRejectedException e) {
      return switch (e.code()) {
        case PURGED, ALREADY_OCCULTED, LEDGER_CLOSED -> Optional.of(e);
        default -> Optional.empty(); // what cannot be told keeps nobody from reading the proposal
      };
    }
  }
}
