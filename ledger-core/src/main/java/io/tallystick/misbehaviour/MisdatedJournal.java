package io.tallystick.misbehaviour;

import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.note.Checkpoint;
import io.tallystick.time.TrustedTokens;
import java.util.Locale;

/// Claim 1. The first leaf is a time journal with a token. Alone: its own date is too far from the
/// token's. With a second leaf above it: that one is dated before the token. With a second leaf and
/// the proof that it is under the token's head: that one is dated after the token.
final class MisdatedJournal {
  private final Shown shown;
  private final TrustedTokens tokens;

  MisdatedJournal(Shown shown, TrustedTokens tokens) {
    this.shown = shown;
    this.tokens = tokens;
  }

  String find() throws ProofRejectedException, MalformedException {
    ShownLeaf anchor = shown.leaves().getFirst();
    Extension.Time time = time(anchor);
    long genTimeMs = genTimeMs(time);
    if (shown.leaves().size() == 1) {
      shown.demand(1, 0);
      return checked(anchor, Math.abs(anchor.timeMs() - genTimeMs), genTimeMs);
    }
    ShownLeaf journal = shown.leaves().getLast();
    if (shown.items().isEmpty()) {
      shown.demand(2, 0);
      if (journal.jsn() <= anchor.jsn()) {
        throw new ProofRejectedException(
            Reason.WRONG_JSN, "jsn " + journal.jsn() + " is not above " + anchor.jsn());
      }
      return checked(journal, genTimeMs - journal.timeMs(), genTimeMs);
    }
    shown.demand(2, 1);
    checkUnder(journal, time);
    return checked(journal, journal.timeMs() - genTimeMs, genTimeMs);
  }

  private static Extension.Time time(ShownLeaf leaf)
      throws ProofRejectedException, MalformedException {
    if (leaf.header().extension() instanceof Extension.Time time) {
      return time;
    }
    throw new ProofRejectedException(
        Reason.WRONG_TYPE, "journal " + leaf.jsn() + " is no time journal");
  }

  private long genTimeMs(Extension.Time time) throws ProofRejectedException {
    if (!(time.proof() instanceof TimeProof.Token(var der))) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE, "a T-Ledger's time, want a token of an authority");
    }
    String origin = shown.keys().authority().origin(shown.strand());
    return tokens.genTimeMs(der, new Checkpoint(origin, time.size(), time.root()).imprint());
  }

  /// The token's root is the service's word only; so the journal is shown under that very root.
  private void checkUnder(ShownLeaf journal, Extension.Time time)
      throws ProofRejectedException, MalformedException {
    InclusionProof proof = InclusionProofBytes.decode(shown.items().getFirst());
    if (proof.size() != time.size().value() || proof.index() != journal.jsn()) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE,
          String.format(
              Locale.ROOT,
              "proof of %d in %d, want %d in %s",
              proof.index(),
              proof.size(),
              journal.jsn(),
              time.size()));
    }
    proof.verify(Leaf.hash(journal.encoded()), time.root());
  }

  /// @param outsideMs how far the leaf is on the wrong side
  private static String checked(ShownLeaf leaf, long outsideMs, long genTimeMs)
      throws ProofRejectedException {
    String detail =
        String.format(
            Locale.ROOT,
            "leaf %d of %s, the token says %s",
            leaf.jsn(),
            Printable.time(leaf.timeMs()),
            Printable.time(genTimeMs));
    if (outsideMs <= Limits.TIME_PROOF_SKEW_MS_MAX) {
      throw Shown.inOrder(detail);
    }
    return detail;
  }
}
