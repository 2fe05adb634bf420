package io.tallystick.client.trust;

import io.tallystick.client.TrustStoreException;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;

/// Reads a head back from the statement that was stored: it is verified like one just received, so
/// what a disk has damaged is found.
final class StoredHead {
  /// Above any statement that a service may sign.
  private static final int STATEMENT_BYTES_MAX = 64 << 10;

  private StoredHead() {}

  static SignedHead verify(Bytes statement, ServiceTrust trust, Signatures signatures)
      throws TrustStoreException {
    if (statement.size() > STATEMENT_BYTES_MAX) {
      throw new TrustStoreException(
          "the stored head of ledger %s is damaged: %d bytes, at most %d"
              .formatted(trust.ledger(), statement.size(), STATEMENT_BYTES_MAX));
    }
    try {
      return HeadStatement.verify(statement, trust.strand(), trust.keys(), signatures);
    } catch (ProofRejectedException e) {
      throw new TrustStoreException(
          "the stored head of ledger " + trust.ledger() + " is damaged: " + e.getMessage(), e);
    }
  }
}
