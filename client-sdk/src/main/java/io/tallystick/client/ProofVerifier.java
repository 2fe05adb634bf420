package io.tallystick.client;

import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.trust.RememberingSignatures;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.JournalProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.io.IOException;
import java.io.InputStream;

/// Verifies proof files of a pinned ledger against their documents: no service, no network, no
/// trust directory. It shows who signed and what the service has signed; that the signers were
/// members, and that the heads make one log, an auditor shows. Thread-safe.
public final class ProofVerifier {
  private final StrandId strand;
  private final Signatures signatures = new RememberingSignatures(SignatureProviders.best());

  private ProofVerifier(StrandId strand) {
    this.strand = strand;
  }

  public static ProofVerifier of(LedgerId pinned) {
    return new ProofVerifier(new StrandId(pinned, 0));
  }

  /// @param file the bytes of a proof file
  /// @throws VerificationException `COMMITMENT_MISMATCH` if it is of another document
  public JournalProof.Verified verify(Bytes file, Bytes document) throws VerificationException {
    try {
      return decode(file).verify(strand, signatures, document);
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  /// The same of a document that is read as it is hashed, at most to one byte beyond its length.
  public JournalProof.Verified verify(Bytes file, InputStream document)
      throws VerificationException, IOException {
    try {
      return decode(file).verify(strand, signatures, document);
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  private static JournalProof decode(Bytes file) throws ProofRejectedException {
    try {
      return JournalProof.decode(file);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "journal proof: " + e.getMessage(), e);
    }
  }
}
