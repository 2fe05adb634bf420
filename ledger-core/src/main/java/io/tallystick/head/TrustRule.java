package io.tallystick.head;

import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import java.util.Locale;
import java.util.Optional;

/// The one rule by which a signed head is accepted, of a receipt or of a checkpoint: all heads of a
/// strand must be heads of one log that only grew. Source: `docs/formats/trust.md`.
///
/// - Of equal size: the roots are equal, or it is a fork.
/// - Of different size: a consistency proof joins the smaller to the larger. Trust moves to the
///   larger.
/// - The head that the service calls its newest is not smaller than the trusted one; otherwise it
///   is a rollback.
public final class TrustRule {
  private TrustRule() {}

  /// The consistency proof that is still needed.
  public record Missing(TreeSize from, TreeSize to) {}

  /// The first head of a strand is believed for its signature alone.
  public static TrustedHead first(SignedHead offered) {
    return new TrustedHead(offered);
  }

  /// The proof that must be shown before `offered` is believed; empty if it states what is trusted
  /// already.
  ///
  /// @throws ForkException if the two contradict each other
  public static Optional<Missing> missing(TrustedHead trusted, SignedHead offered)
      throws ProofRejectedException {
    SignedHead head = trusted.head();
    checkStrand(head, offered);
    int order = head.size().compareTo(offered.size());
    if (order == 0) {
      checkSameRoot(head, offered);
      return Optional.empty();
    }
    return Optional.of(
        order < 0
            ? new Missing(head.size(), offered.size())
            : new Missing(offered.size(), head.size()));
  }

  /// Believes a head that needs no proof.
  ///
  /// @throws ForkException if it contradicts the trusted one
  /// @throws ProofRejectedException with `MISSING` if it needs a proof
  public static TrustedHead accept(TrustedHead trusted, SignedHead offered)
      throws ProofRejectedException {
    Optional<Missing> missing = missing(trusted, offered);
    if (missing.isPresent()) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(
              Locale.ROOT,
              "consistency of size %s with size %s",
              missing.get().from,
              missing.get().to));
    }
    return trusted;
  }

  /// Believes a head of another size that `proof` joins to the trusted one.
  ///
  /// @return the larger of the two
  /// @throws ForkException with `FORK` if the two contradict each other, with the proof's own
  ///   reason if it does not join them
  public static TrustedHead accept(TrustedHead trusted, SignedHead offered, ConsistencyProof proof)
      throws ProofRejectedException {
    Optional<Missing> missing = missing(trusted, offered);
    if (missing.isEmpty()) {
      return trusted;
    }
    checkSizes(proof, missing.get());
    boolean grows = trusted.head().size().compareTo(offered.size()) < 0;
    SignedHead older = grows ? trusted.head() : offered;
    SignedHead newer = grows ? offered : trusted.head();
    try {
      proof.verify(older.root(), newer.root());
    } catch (ProofRejectedException e) {
      throw unjoined(trusted.head(), offered, proof, older.root(), newer.root(), e);
    }
    return new TrustedHead(newer);
  }

  /// Checks a head that the service calls its newest.
  ///
  /// @throws ForkException with `ROLLBACK` if it is smaller than the trusted one
  public static void checkNewest(TrustedHead trusted, SignedHead newest)
      throws ProofRejectedException {
    checkStrand(trusted.head(), newest);
    if (newest.size().compareTo(trusted.head().size()) < 0) {
      throw new ForkException(
          Reason.ROLLBACK,
          String.format(
              Locale.ROOT,
              "newest head has size %s, but %s was signed before",
              newest.size(),
              trusted.head().size()),
          trusted.head(),
          newest);
    }
  }

  /// Two heads that a service joins by no proof, because it says that its log has not the larger
  /// size.
  ///
  /// @param trusted the larger one, which was signed before
  /// @param offered a head that the service has shown now
  public static ForkException rolledBack(TrustedHead trusted, SignedHead offered) {
    return new ForkException(
        Reason.ROLLBACK,
        String.format(
            Locale.ROOT,
            "a head of size %s was shown, and %s, which was signed before, is called too large",
            offered.size(),
            trusted.head().size()),
        trusted.head(),
        offered);
  }

  private static void checkStrand(SignedHead trusted, SignedHead offered)
      throws ProofRejectedException {
    if (!trusted.strand().equals(offered.strand())) {
      throw new ProofRejectedException(
          Reason.WRONG_LEDGER, offered.strand() + ", want " + trusted.strand());
    }
  }

  private static void checkSameRoot(SignedHead trusted, SignedHead offered) throws ForkException {
    if (!trusted.root().equals(offered.root())) {
      throw new ForkException(
          Reason.FORK,
          String.format(
              Locale.ROOT,
              "two roots of size %s were signed: %s and %s",
              offered.size(),
              trusted.root(),
              offered.root()),
          trusted,
          offered);
    }
  }

  private static void checkSizes(ConsistencyProof proof, Missing missing)
      throws ProofRejectedException {
    if (proof.from() != missing.from.value() || proof.to() != missing.to.value()) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE,
          String.format(
              Locale.ROOT,
              "proof from %d to %d, want %s to %s",
              proof.from(),
              proof.to(),
              missing.from,
              missing.to));
    }
  }

  /// A proof that leads to the newer root from another older one shows what the newer log really
  /// began with: then the two signed heads contradict each other. Any other bad proof shows
  /// nothing.
  private static ForkException unjoined(
      SignedHead trusted,
      SignedHead offered,
      ConsistencyProof proof,
      JournalRoot older,
      JournalRoot newer,
      ProofRejectedException cause) {
    if (proof.contradicts(older, newer)) {
      return new ForkException(
          Reason.FORK,
          String.format(
              Locale.ROOT,
              "the log of size %d does not begin with the signed one of size %d",
              proof.to(),
              proof.from()),
          trusted,
          offered,
          proof,
          cause);
    }
    return new ForkException(
        cause.reason(),
        String.format(
            Locale.ROOT,
            "no proof joins size %d to size %d: %s",
            proof.from(),
            proof.to(),
            cause.getMessage()),
        trusted,
        offered,
        proof,
        cause);
  }
}
