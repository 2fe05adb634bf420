package io.tallystick.testkit.tledger;

import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.reference.ReferenceTree;
import io.tallystick.tledger.HeadEntry;
import java.util.Optional;

/// Heads of a log as entries of a T-Ledger.
public final class HeadEntries {
  private HeadEntries() {}

  /// The head of the first `size` leaves, signed by the service's key.
  ///
  /// @param from the size of the head before; 0 if it is the first
  public static HeadEntry of(ReferenceLedger log, int size, int from) {
    return of(log, size, from, Fixtures.NOTE);
  }

  /// The same signed by any key.
  public static HeadEntry of(ReferenceLedger log, int size, int from, Signer signer) {
    ReferenceTree tree = new ReferenceTree(log.leaves());
    return new HeadEntry(
        log.checkpoint(signer, size, log.root(size)),
        log.leaves().get(size - 1),
        tree.inclusionPath(size - 1, size),
        from == 0
            ? Optional.empty()
            : Optional.of(new HeadEntry.Growth(from, tree.consistencyPath(from, size))));
  }
}
