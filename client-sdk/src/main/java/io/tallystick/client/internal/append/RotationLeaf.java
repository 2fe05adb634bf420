package io.tallystick.client.internal.append;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import java.util.ArrayList;
import java.util.List;

/// Rebuilds the leaf of a key rotation of ours. The service adds its own signatures to it, so what
/// the leaf attests is fetched: our signatures, all of them, and else those of the receipt key and
/// the new one. That the added ones are good is shown by the ledger's key chain.
public final class RotationLeaf {
  private final LedgerCalls calls;
  private final TrustedLog log;

  public RotationLeaf(LedgerCalls calls, TrustedLog log) {
    this.calls = calls;
    this.log = log;
  }

  /// @param jsn that the service answered
  public SubmittedLeaves attested(
      SignedSubmission submission, Extension.KeyRotation rotation, Jsn jsn)
      throws ProofRejectedException, TallyException {
    Bytes whole =
        WireBytes.bytes(calls.journal(jsn, new TreeSize(jsn.value() + 1)).getAttestation());
    List<CoseSign1> added;
    try {
      added = new ArrayList<>(Attestation.decode(whole, Kind.KEY_ROTATION).signatures());
      for (CoseSign1 ours : Attestation.decode(submission.attestation()).signatures()) {
        if (!added.remove(ours)) {
          throw new ProofRejectedException(
              Reason.COMMITMENT_MISMATCH, "rotation " + jsn + " without a signature of ours");
        }
      }
    } catch (MalformedException e) {
      throw new ProofRejectedException(
          Reason.MALFORMED, "attestation of rotation " + jsn + ": " + e.getMessage(), e);
    }
    log.judge(keys -> {
      checkService(added, rotation, keys, jsn);
      return keys;
    });
    return submission.leaves().attested(Attestation.hash(whole));
  }

  private static void checkService(
      List<CoseSign1> added, Extension.KeyRotation rotation, ServiceKeys keys, Jsn jsn)
      throws ProofRejectedException {
    PublicKey present = keys.receiptKey(new TreeSize(jsn.value() + 1));
    for (CoseSign1 signature : added) {
      Digest kid;
      try {
        kid = ProtectedHeader.kid(signature.protectedHeader());
      } catch (MalformedException e) {
        throw new ProofRejectedException(Reason.MALFORMED, String.valueOf(e.getMessage()), e);
      }
      if (!kid.equals(present.kid()) && !kid.equals(rotation.receiptKey().kid())) {
        throw new ProofRejectedException(
            Reason.WRONG_KEY, "rotation " + jsn + " is signed by " + kid + " besides us");
      }
    }
  }
}
