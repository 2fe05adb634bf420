package io.tallystick.client.trust;

import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import java.nio.file.Path;
import java.util.Locale;

/// Reads a head back from the statement that was stored: it is verified like one just received, so
/// what a disk has damaged is found.
final class StoredHead {
  /// Above any statement that a service may sign.
  static final int STATEMENT_BYTES_MAX = 64 << 10;

  private StoredHead() {}

  /// @param file that held it
  static SignedHead verify(Path file, Bytes statement, ServiceTrust trust, Signatures signatures)
      throws TrustStoreException {
    if (statement.size() > STATEMENT_BYTES_MAX) {
      throw new TrustStoreException(
          String.format(
              Locale.ROOT,
              "%s is damaged: a statement of %d bytes, at most %d",
              file,
              statement.size(),
              STATEMENT_BYTES_MAX));
    }
    try {
      return HeadStatement.verify(statement, trust.strand(), trust.keys(), signatures);
    } catch (ProofRejectedException e) {
      throw new TrustStoreException(file + " is damaged: " + e.getMessage(), e);
    }
  }
}
