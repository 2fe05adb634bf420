package io.tallystick.evidence;

import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import io.tallystick.receipt.HeadSignature;

/// Reads back a {@link io.tallystick.head.HeadEvidence}, of either form, and verifies it anew.
public final class HeadStatement {
  /// The longest encoding of either form.
  public static final int BYTES_MAX = SignedNote.NOTE_BYTES_MAX;

  /// The first byte of a COSE_Sign1 (tag 18), with which a note, being text in ASCII there, never
  /// begins.
  private static final byte COSE_SIGN1 = (byte) 0xd2;

  private HeadStatement() {}

  public static SignedHead verify(
      Bytes encoded, StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    if (encoded.isEmpty() || encoded.unsafeArray()[0] != COSE_SIGN1) {
      return Checkpoint.verify(encoded, strand, keys, signatures);
    }
    CoseSign1 message;
    JournalRoot root;
    try {
      message = CoseSign1.decode(encoded);
      root = attachedRoot(message);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "head statement: " + e.getMessage(), e);
    }
    return new HeadSignature(message.protectedHeader(), message.signature())
        .verify(root, strand, keys, signatures);
  }

  /// The content of a statement before it is verified.
  public record Stated(TreeSize size, JournalRoot root) {}

  /// @throws ProofRejectedException with `MALFORMED` if it is of neither form
  public static Stated stated(Bytes encoded) throws ProofRejectedException {
    try {
      if (encoded.isEmpty() || encoded.unsafeArray()[0] != COSE_SIGN1) {
        Checkpoint checkpoint = Checkpoint.parse(SignedNote.decode(encoded).text());
        return new Stated(checkpoint.size(), checkpoint.root());
      }
      CoseSign1 message = CoseSign1.decode(encoded);
      HeadSignature signature = new HeadSignature(message.protectedHeader(), message.signature());
      return new Stated(signature.header().treeSize(), attachedRoot(message));
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "head statement: " + e.getMessage(), e);
    }
  }

  private static JournalRoot attachedRoot(CoseSign1 message) throws MalformedException {
    Bytes payload = message.payload();
    if (payload == null || payload.size() != Digest.BYTES) {
      throw new MalformedException("payload is not an attached root of 32 bytes");
    }
    if (message.inclusionProof() != null) {
      throw new MalformedException("a statement about a head carries no inclusion proof");
    }
    return new JournalRoot(Digest.of(payload));
  }
}
