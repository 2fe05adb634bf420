package io.tallystick.audit;

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

  /// To be asked after every leaf.
  void check(BlockReplay blocks) throws FaultException {
    if (blocks.size() != size) {
      return;
    }
    Digest found = blocks.root();
    if (!found.equals(root)) {
      throw new FaultException(
          size - 1,
          FaultKind.TRUSTED_HEAD_CONTRADICTED,
          "root of size " + size + " is " + found + ", trusted is " + root);
    }
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
