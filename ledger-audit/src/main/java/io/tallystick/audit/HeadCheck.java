package io.tallystick.audit;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.CheckedChunk;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.Receipt;
import java.util.Locale;
import java.util.Optional;

/// The signed heads against the root recomputed over all leaves, by the keys that are valid for
/// their size.
final class HeadCheck {
  private final AuditContext context;
  private final ServiceKeys keys;
  private final long size;
  private final Digest root;

  /// @param keys of genesis and of each rotation; those valid for `size` judge
  HeadCheck(AuditContext context, ServiceKeys keys, long size, Digest root) {
    this.context = context;
    this.keys = keys;
    this.size = size;
    this.root = root;
  }

  /// The form the source must have has to be there; every form that is there is checked.
  ///
  /// @return the head, as the checkpoint states it if there is one
  SignedHead check(CheckedChunk.Closing closing) throws FaultException {
    LogEnd end = closing.end();
    switch (end.demanded()) {
      case RECEIPT -> demand("receipt", end.headReceipt());
      case CHECKPOINT -> demand("checkpoint", end.checkpoint());
    }
    Optional<SignedHead> head = Optional.empty();
    if (!end.headReceipt().isEmpty()) {
      head = Optional.of(checkReceipt(end.headReceipt(), closing.lastLeaf()));
    }
    if (!end.checkpoint().isEmpty()) {
      head = Optional.of(checkCheckpoint(end.checkpoint()));
    }
    return head.orElseThrow(() -> new AssertionError("one form was demanded"));
  }

  private void demand(String what, Bytes head) throws FaultException {
    if (head.isEmpty()) {
      throw new FaultException(
          size - 1, FaultKind.HEAD_MISSING, "no " + what + " for the head of size " + size);
    }
  }

  private SignedHead checkCheckpoint(Bytes note) throws FaultException {
    try {
      return checkHead(
          "checkpoint", Checkpoint.verify(note, context.strand(), keys, context.signatures()));
    } catch (ProofRejectedException e) {
      throw invalid("checkpoint: " + e.getMessage());
    }
  }

  private SignedHead checkReceipt(Bytes encoded, Bytes lastLeaf) throws FaultException {
    try {
      Receipt receipt = Receipt.decode(encoded);
      return checkHead(
          "receipt", receipt.verify(lastLeaf, context.strand(), keys, context.signatures()));
    } catch (MalformedException | ProofRejectedException e) {
      throw invalid("receipt: " + e.getMessage());
    }
  }

  private SignedHead checkHead(String what, SignedHead head) throws FaultException {
    if (head.size().value() != size || !head.root().digest().equals(root)) {
      throw invalid(
          String.format(
              Locale.ROOT,
              "%s is signed for size %s and root %s, the log has %d and %s",
              what,
              head.size(),
              head.root(),
              size,
              root));
    }
    return head;
  }

  private FaultException invalid(String detail) {
    return new FaultException(size - 1, FaultKind.HEAD_INVALID, detail);
  }
}
