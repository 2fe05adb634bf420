package io.tallystick.misbehaviour;

import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.Locale;

/// Claim 3. One leaf, a seal under the head of its own block. The path of a log's last leaf is the
/// roots of the complete subtrees before it, so the head itself says what root the seal must state.
final class FalseSeal {
  private FalseSeal() {}

  static String find(Shown shown) throws ProofRejectedException {
    shown.demand(1, 0);
    ShownLeaf shownLeaf = shown.leaves().getFirst();
    if (!(shownLeaf.leaf() instanceof SealLeaf seal)) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE, "leaf " + shownLeaf.jsn() + " is no seal");
    }
    long size = shownLeaf.head().size().value();
    if (size != shownLeaf.jsn() + 1) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE,
          String.format(
              Locale.ROOT,
              "seal %d is under size %d, want %d",
              shownLeaf.jsn(),
              size,
              shownLeaf.jsn() + 1));
    }
    Digest before = TreeHasher.foldRight(shownLeaf.proof().path().reversed());
    if (before.equals(seal.journalRoot())) {
      throw Shown.inOrder("seal " + seal.jsn() + " states the root before it, " + before);
    }
    return String.format(
        Locale.ROOT, "seal %s states %s, the head says %s", seal.jsn(), seal.journalRoot(), before);
  }
}
