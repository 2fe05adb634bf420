package io.tallystick.client.trust;

import io.tallystick.client.TrustStoreException;
import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.HeadSignature;

/// Reads a head back from the statement that was stored: it is verified like one just received, so
/// what a disk has damaged is found.
final class StoredHead {
  /// Tag 18, with which every COSE_Sign1 here begins and no note does.
  private static final byte COSE_SIGN1 = (byte) 0xd2;

  private StoredHead() {}

  static SignedHead verify(Bytes statement, ServiceTrust trust, Signatures signatures)
      throws TrustStoreException {
    try {
      return isReceipt(statement)
          ? receipt(statement, trust, signatures)
          : Checkpoint.verify(statement, trust.strand(), trust.keys(), signatures);
    } catch (ProofRejectedException | MalformedException e) {
      throw new TrustStoreException(
          "the stored head of ledger " + trust.ledger() + " is damaged: " + e.getMessage(), e);
    }
  }

  private static boolean isReceipt(Bytes statement) {
    return !statement.isEmpty() && statement.unsafeArray()[0] == COSE_SIGN1;
  }

  private static SignedHead receipt(Bytes statement, ServiceTrust trust, Signatures signatures)
      throws ProofRejectedException, MalformedException {
    CoseSign1 message = CoseSign1.decode(statement);
    Bytes root = message.payload();
    if (root == null || root.size() != Digest.BYTES) {
      throw new ProofRejectedException(Reason.MALFORMED, "no root of 32 bytes is attached");
    }
    HeadSignature signature = new HeadSignature(message.protectedHeader(), message.signature());
    return signature.verify(
        new JournalRoot(Digest.of(root)), trust.strand(), trust.keys(), signatures);
  }
}
