package io.tallystick.proxy.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.tallystick.cose.RequestProtected;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.Member;
import io.tallystick.node.SignaturePolicy;
import io.tallystick.proxy.proposal.Proposals;
import io.tallystick.proxy.proposal.ShownProposal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Proposals as JSON shows them.
final class ProposalJson {
  private ProposalJson() {}

  record Signer(String kid, String role) {
    static Signer of(Member member) {
      return new Signer(member.key().kid().hex(), Json.role(member.role()));
    }
  }

  /// @param requestHash of a proposal that is kept no more
  record Withdrawn(String requestHash) {}

  record Refusal(String code, String detail) {}

  /// @param proposal CBOR; absent in lists
  /// @param toSign for each that is missing; absent in lists
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Proposal(
      String requestHash,
      int kind,
      long clientTimeMs,
      long expiresMs,
      String policy,
      List<Signer> signers,
      List<Signer> missing,
      String status,
      @Nullable Long jsn,
      @Nullable String location,
      @Nullable Refusal refusal,
      @Nullable String proposal,
      @Nullable List<Json.ToSign> toSign) {
    static Proposal row(ShownProposal shown) {
      return of(shown, null, null);
    }

    static Proposal whole(ShownProposal shown) {
      KeptProposal kept = shown.kept();
      RequestHeader header = kept.proposal().request();
      List<Json.ToSign> toSign =
          shown.missing().stream()
              .map(Member::key)
              .map(key ->
                  PrepareController.toSign(
                      new RequestProtected(key.algorithm(), key.kid(), header.strand()),
                      kept.requestHash().toBytes()))
              .toList();
      return of(shown, Json.base64(kept.proposal().encode()), toSign);
    }

    private static Proposal of(
        ShownProposal shown, @Nullable String proposal, @Nullable List<Json.ToSign> toSign) {
      KeptProposal kept = shown.kept();
      RequestHeader header = kept.proposal().request();
      Long jsn = kept.outcome() instanceof Outcome.Committed(long journal) ? journal : null;
      return new Proposal(
          kept.requestHash().hex(),
          header.kind().code(),
          header.clientTimeMs(),
          header.expiresMs(),
          ProposalJson.policy(shown.policy()),
          shown.signers().stream().map(Signer::of).toList(),
          shown.missing().stream().map(Signer::of).toList(),
          shown.impossible().isPresent() ? "impossible" : ProposalJson.status(kept.outcome()),
          jsn,
          jsn == null ? null : Paths.journal(kept.ledger(), jsn),
          ProposalJson.refusal(shown),
          proposal,
          toSign);
    }
  }

  private static @Nullable Refusal refusal(ShownProposal shown) {
    if (shown.impossible().isPresent()) {
      RequestRejectedException why = shown.impossible().get();
      return new Refusal(why.code().wire(), String.valueOf(why.getMessage()));
    }
    return shown.kept().outcome() instanceof Outcome.Refused(RejectionCode code, String detail)
        ? new Refusal(code.wire(), detail)
        : null;
  }

  private static String policy(SignaturePolicy policy) {
    return switch (policy) {
      case ONE_OWNER -> "oneOwner";
      case EVERY_OWNER -> "everyOwner";
      case OWNER_AND_REGULATOR -> "ownerAndRegulator";
    };
  }

  private static String status(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Open _ -> "open";
      case Outcome.Submitting _ -> "submitting";
      case Outcome.Committed _ -> "committed";
      case Outcome.Refused _ -> "refused";
    };
  }

  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Page(List<Proposal> proposals, @Nullable String cursor) {
    static Page of(Proposals.Page page) {
      return new Page(
          page.proposals().stream().map(Proposal::row).toList(),
          page.next().map(Digest::hex).orElse(null));
    }
  }
}
