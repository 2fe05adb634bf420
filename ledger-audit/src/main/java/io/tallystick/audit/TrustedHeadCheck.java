package io.tallystick.audit;

import io.tallystick.evidence.Anchor;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Digest;
import java.util.Optional;

/// The head that was trusted before the audit against the root recomputed at its size.
final class TrustedHeadCheck {
  private static final long NONE = -1;

  private final long size;
  private final Digest root;

  private TrustedHeadCheck(long size, Digest root) {
    this.size = size;
    this.root = root;
  }

  static TrustedHeadCheck of(Optional<SignedHead> head) {
    return head.map(known -> new TrustedHeadCheck(known.size().value(), known.root().digest()))
        .orElseGet(() -> new TrustedHeadCheck(NONE, Digest.ZERO));
  }

  /// Of an anchor, which the log must contain likewise.
  static TrustedHeadCheck ofAnchor(Optional<Anchor> anchor) {
    return anchor
        .map(known -> new TrustedHeadCheck(known.size().value(), known.root().digest()))
        .orElseGet(() -> new TrustedHeadCheck(NONE, Digest.ZERO));
  }

  /// The head, if the log has been found to contain it by `reached` leaves.
  Optional<AuditStatement.Compared> compared(long reached) {
    return size == NONE || size > reached
        ? Optional.empty()
        : Optional.of(new AuditStatement.Compared(size, root));
  }

  /// To be asked where an audit goes on from a statement.
  ///
  /// @throws StatementException if the head lies before it and was not compared then
  void checkResumed(AuditStatement statement, BlockReplay blocks)
      throws FaultException, StatementException {
    long reached = statement.head().size();
    if (size == NONE || size > reached) {
      return;
    }
    check(blocks);
    if (size == reached) {
      return;
    }
    AuditStatement.Compared known = statement.compared().orElse(null);
    if (known == null || known.size() != size) {
      throw new StatementException(
          StatementException.Reason.HEAD_NOT_COMPARED,
          "the trusted head of size %d lies before the %d leaves of the statement and was not compared then"
              .formatted(size, reached));
    }
    if (!known.root().equals(root)) {
      throw contradicted(known.root());
    }
  }

  /// To be asked after every leaf.
  void check(BlockReplay blocks) throws FaultException {
    if (blocks.size() != size) {
      return;
    }
    Digest found = blocks.root();
    if (!found.equals(root)) {
      throw contradicted(found);
    }
  }

  private FaultException contradicted(Digest found) {
    return new FaultException(
        size - 1,
        FaultKind.TRUSTED_HEAD_CONTRADICTED,
        "root of size " + size + " is " + found + ", trusted is " + root);
  }

  /// To be asked at the end of the log.
  void checkReached(long logSize) throws FaultException {
    if (logSize < size) {
      throw new FaultException(
          logSize - 1,
          FaultKind.TRUSTED_HEAD_CONTRADICTED,
          "the log ends at size " + logSize + ", a head of size " + size + " was signed before");
    }
  }
}
