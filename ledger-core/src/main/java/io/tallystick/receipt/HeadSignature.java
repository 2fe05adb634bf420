package io.tallystick.receipt;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.cose.ReceiptProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.head.HeadEvidence;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;

/// The service's receipt signature over one tree head: the same for all receipts of a block, so it
/// is kept per block and the paths are made anew. The root is its detached payload.
public record HeadSignature(Bytes protectedHeader, Bytes signature) {
  public HeadSignature {
    if (signature.size() != CoseSign1.SIGNATURE_BYTES) {
      throw new IllegalArgumentException(
          "signature of " + signature.size() + " bytes, want " + CoseSign1.SIGNATURE_BYTES);
    }
    if (protectedHeader.size() > CoseSign1.PROTECTED_BYTES_MAX) {
      throw new IllegalArgumentException(
          "protected header of "
              + protectedHeader.size()
              + " bytes, at most "
              + CoseSign1.PROTECTED_BYTES_MAX);
    }
  }

  /// Signs a head with the receipt key. The same head signed twice gives the same bytes.
  public static HeadSignature sign(
      Signer signer, Authority authority, StrandId strand, TreeSize size, JournalRoot root) {
    ReceiptProtected header =
        new ReceiptProtected(signer.publicKey().kid(), authority, strand, size);
    CoseSign1 signed = CoseSign1.detached(signer, header, root.digest().toBytes());
    return new HeadSignature(signed.protectedHeader(), signed.signature());
  }

  /// The statement as a message of its own, the root attached: what a third party needs.
  public CoseSign1 statement(JournalRoot root) {
    return new CoseSign1(protectedHeader, null, root.digest().toBytes(), signature);
  }

  /// The message of a receipt, its payload detached.
  CoseSign1 receipt(Bytes inclusionProof) {
    return new CoseSign1(protectedHeader, inclusionProof, null, signature);
  }

  /// The header of the signature, before it is verified.
  public ReceiptProtected header() throws ProofRejectedException {
    return ProtectedHeader.decode(protectedHeader, ReceiptProtected.class);
  }

  /// The head with this root, if the service signed it for this strand.
  public SignedHead verify(
      JournalRoot root, StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    return verify(header(), root, strand, keys, signatures);
  }

  /// The same for a caller that has decoded {@link #header} already.
  SignedHead verify(
      ReceiptProtected header,
      JournalRoot root,
      StrandId strand,
      ServiceKeys keys,
      Signatures signatures)
      throws ProofRejectedException {
    checkContext(header, strand, keys.authority());
    PublicKey key = keys.receiptKey(header.treeSize());
    CoseSign1 statement = statement(root);
    statement.verify(header, root.digest().toBytes(), key, signatures);
    return new SignedHead(
        strand, header.treeSize(), root, new HeadEvidence.ReceiptStatement(statement.encode()));
  }

  private static void checkContext(ReceiptProtected header, StrandId strand, Authority authority)
      throws ProofRejectedException {
    if (!header.strand().equals(strand)) {
      throw new ProofRejectedException(Reason.WRONG_LEDGER, header.strand() + ", want " + strand);
    }
    if (!header.authority().equals(authority)) {
      throw new ProofRejectedException(
          Reason.WRONG_ORIGIN, header.authority() + ", want " + authority);
    }
  }
}
