package io.tallystick.master.tledger;

import io.tallystick.evidence.ForkEvidence;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.ProofRejectedException;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The largest head of a T-Ledger that one who submits heads has seen. Every other head must be
/// shown to be of the same log. Not thread-safe.
final class SeenTLedger {
  private final TLedgerLink link;
  private @Nullable SignedHead largest;

  SeenTLedger(TLedgerLink link) {
    this.link = link;
  }

  /// @param head signed by the T-Ledger's service
  /// @throws ContradictedException if the T-Ledger does not show that both are of one log
  /// @throws IOException if it cannot be asked: the head is not believed then
  void accept(SignedHead head) throws ContradictedException, IOException {
    SignedHead kept = largest;
    if (kept == null) {
      largest = head;
      return;
    }
    if (head.statesSameAs(kept)) {
      return;
    }
    boolean larger = head.size().value() > kept.size().value();
    check(larger ? kept : head, larger ? head : kept, kept, head);
    if (larger) {
      largest = head;
    }
  }

  private void check(SignedHead from, SignedHead to, SignedHead kept, SignedHead now)
      throws ContradictedException, IOException {
    if (from.size().equals(to.size())) {
      throw contradicted(kept, now, Optional.empty(), "another root of that size");
    }
    Optional<ConsistencyProof> proof = link.consistency(from.size().value(), to.size().value());
    if (proof.isEmpty()) {
      throw contradicted(
          kept, now, Optional.empty(), "it refuses to show that one continues the other");
    }
    ConsistencyProof path = proof.get();
    try {
      if (path.from() != from.size().value() || path.to() != to.size().value()) {
        throw new ProofRejectedException(
            ProofRejectedException.Reason.WRONG_SIZE, "a proof for other sizes");
      }
      path.verify(from.root(), to.root());
    } catch (ProofRejectedException e) {
      boolean shown = path.contradicts(from.root(), to.root());
      throw contradicted(
          kept, now, shown ? proof : Optional.empty(), String.valueOf(e.getMessage()));
    }
  }

  private static ContradictedException contradicted(
      SignedHead kept, SignedHead now, Optional<ConsistencyProof> proof, String why) {
    return new ContradictedException(
        new ForkEvidence(kept.evidence().encoded(), now.evidence().encoded(), proof),
        String.format(
            Locale.ROOT,
            "the T-Ledger contradicts its head of size %s, which it gave before, by one of size %s: %s",
            kept.size(),
            now.size(),
            why));
  }
}
