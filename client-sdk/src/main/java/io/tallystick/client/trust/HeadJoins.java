package io.tallystick.client.trust;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.head.ForkException;
import io.tallystick.head.SignedHead;
import io.tallystick.head.TrustRule;
import io.tallystick.head.TrustedHead;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.StrandId;
import java.util.Optional;

/// How a head is joined to the trusted one of its strand: by the range that it came with, or by a
/// consistency proof of the service. Thread-safe.
final class HeadJoins {
  private final StrandId strand;
  private final ConsistencySource proofs;

  HeadJoins(StrandId strand, ConsistencySource proofs) {
    this.strand = strand;
    this.proofs = proofs;
  }

  /// @param range that was verified under `head`, if the head came with one
  /// @return the larger of the two
  /// @throws ForkException if they contradict each other, are not joined by the service's proof, or
  ///   the service says that its log is not as large as the trusted head: a rollback. A smaller
  ///   head alone is no rollback, because answers overtake each other
  TrustedHead extend(TrustedHead now, SignedHead head, Optional<RangeProof> range)
      throws ProofRejectedException, TallyException {
    Optional<TrustRule.Missing> missing = TrustRule.missing(now, head);
    if (missing.isEmpty()) {
      return now;
    }
    if (continues(now.head(), range)) {
      return TrustRule.first(head);
    }
    return TrustRule.accept(now, head, fetch(now, head, missing.get()));
  }

  private ConsistencyProof fetch(TrustedHead now, SignedHead head, TrustRule.Missing missing)
      throws ProofRejectedException, TallyException {
    try {
      return proofs.fetch(strand, missing.from(), missing.to());
    } catch (RequestRefusedException e) {
      boolean tooLarge = e.code().equals(RejectionCode.FUTURE_SIZE.wire());
      if (tooLarge && missing.to().equals(now.head().size())) {
        ForkException rollback = TrustRule.rolledBack(now, head);
        rollback.addSuppressed(e);
        throw rollback;
      }
      throw e;
    }
  }

  /// Whether the range, already verified under its own head, begins where the tree of `trustedHead`
  /// ends and has that tree to its left. A tree of size m is the fold of its maximal complete
  /// subtrees, and these are exactly the roots left of a range that begins at m.
  static boolean continues(SignedHead trustedHead, Optional<RangeProof> range) {
    if (range.isEmpty() || range.get().first() != trustedHead.size().value()) {
      return false;
    }
    int left = Long.bitCount(range.get().first());
    return TreeHasher.foldRight(range.get().roots().subList(0, left))
        .equals(trustedHead.root().digest());
  }
}
