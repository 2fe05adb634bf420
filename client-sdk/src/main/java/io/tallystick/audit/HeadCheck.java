package io.tallystick.audit;

import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.Receipt;

/// The signed heads against the root recomputed over all leaves, by the keys genesis names.
final class HeadCheck {
  private final AuditContext context;
  private final ServiceKeys keys;
  private final long size;
  private final Digest root;

  HeadCheck(AuditContext context, long size, Digest root) {
    GenesisParams genesis = context.genesis();
    this.context = context;
    this.keys = new ServiceKeys(genesis.authority(), genesis.noteKey(), genesis.receiptKey());
    this.size = size;
    this.root = root;
  }

  /// @return whether there was a checkpoint too
  boolean check(CheckedChunk.Closing closing) throws FaultException {
    checkReceipt(closing.end().headReceipt(), closing.lastLeaf());
    Bytes note = closing.end().checkpoint();
    if (note.isEmpty()) {
      return false;
    }
    try {
      checkHead(
          "checkpoint", Checkpoint.verify(note, context.strand(), keys, context.signatures()));
    } catch (ProofRejectedException e) {
      throw invalid("checkpoint: " + e.getMessage());
    }
    return true;
  }

  private void checkReceipt(Bytes encoded, Bytes lastLeaf) throws FaultException {
    if (encoded.isEmpty()) {
      throw new FaultException(
          size - 1, FaultKind.HEAD_MISSING, "no receipt for the head of size " + size);
    }
    try {
      Receipt receipt = Receipt.decode(encoded);
      checkHead("receipt", receipt.verify(lastLeaf, context.strand(), keys, context.signatures()));
    } catch (MalformedException | ProofRejectedException e) {
      throw invalid("receipt: " + e.getMessage());
    }
  }

  private void checkHead(String what, SignedHead head) throws FaultException {
    if (head.size().value() != size || !head.root().digest().equals(root)) {
      throw invalid(
          "%s is signed for size %s and root %s, the log has %d and %s"
              .formatted(what, head.size(), head.root(), size, root));
    }
  }

  private FaultException invalid(String detail) {
    return new FaultException(size - 1, FaultKind.HEAD_INVALID, detail);
  }
}
