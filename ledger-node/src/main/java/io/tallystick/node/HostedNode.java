package io.tallystick.node;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.Support;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.util.Optional;

/// A node with its storage, opened and closed by this process.
public interface HostedNode extends AutoCloseable {
  LedgerNode node();

  /// For the operator of this process.
  KeptStates keptStates();

  /// From now on members' chains lead to one of these. Without a call every chain is refused.
  void trust(CertificateAuthorities authorities);

  /// Whether this process does what is done once for all ledgers: it submits proposals, anchors,
  /// asks witnesses, keeps a T-Ledger. Else other processes do.
  default boolean hasDuties() {
    return true;
  }

  /// The T-Ledger that another process writes; empty while there is none.
  default Optional<LedgerId> tLedger() {
    return Optional.empty();
  }

  /// Makes backups, if the node keeps anything that can be copied.
  default Optional<Backups> backups() {
    return Optional.empty();
  }

  /// Whether a device hashes in bulk.
  default Support hashing() {
    return BatchHasher.cpu().support();
  }

  /// Drains and closes the node, then its storage.
  @Override
  void close() throws IOException;
}
