package io.tallystick.node;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The questions about what a node keeps beside its logs: those of {@link OpenProposals}, {@link
/// KeptAnchors} and {@link MemberCertificates}, where each is described.
public sealed interface KeptRead<R> extends NodeRead<R> {
  /// {@link OpenProposals#find}.
  record Proposal(LedgerId ledger, Digest requestHash)
      implements KeptRead<Optional<KeptProposal>> {}

  /// {@link OpenProposals#list}.
  ///
  /// @param after empty: from the first
  record Proposals(LedgerId ledger, Optional<Digest> after, int limit)
      implements KeptRead<List<KeptProposal>> {}

  /// {@link OpenProposals#submitting}.
  record Submitting() implements KeptRead<List<KeptProposal>> {}

  /// {@link OpenProposals#openCount}.
  record OpenCount() implements KeptRead<Long> {}

  /// {@link KeptAnchors#nearest}.
  record NearestAnchor(StrandId strand, long size, Set<Digest> signers)
      implements KeptRead<Optional<KeptAnchor>> {
    public NearestAnchor {
      signers = Set.copyOf(signers);
    }
  }

  /// {@link MemberCertificates#find}.
  record Certificates(LedgerId ledger, Digest certDigest)
      implements KeptRead<Optional<CertificateChain>> {}
}
