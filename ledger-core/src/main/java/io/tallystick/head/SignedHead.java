package io.tallystick.head;

import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;

/// A head that the service has signed: it says that the first `size` leaves of a strand's log have
/// this root. Made only by verifying a checkpoint, a receipt or a range receipt; the evidence goes
/// with it.
public record SignedHead(StrandId strand, TreeSize size, JournalRoot root, HeadEvidence evidence) {
  /// Whether both state the same head, in whatever form each was signed.
  public boolean statesSameAs(SignedHead other) {
    return strand.equals(other.strand) && size.equals(other.size) && root.equals(other.root);
  }

  @Override
  public String toString() {
    return "SignedHead[" + strand + " of " + size + " leaves, root " + root + "]";
  }
}
