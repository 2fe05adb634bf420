package io.tallystick.audit;

import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import java.util.Optional;

/// The signed heads of an export: the new one, and the one an earlier export left.
///
/// @param state whether the ledger has one: then its log has operations
record ExportHeads(StrandId strand, ServiceKeys keys, Signatures signatures, boolean state) {

  /// @throws LogFormatException if this entry is not the genesis of the pinned ledger
  static ExportHeads of(StrandId pinned, LogEntry genesis, Signatures signatures)
      throws LogFormatException {
    try {
      GenesisParams params = GenesisCheck.check(pinned, genesis, signatures, false).genesis();
      return new ExportHeads(
          pinned,
          new ServiceKeys(params.authority(), params.noteKey(), params.receiptKey()),
          signatures,
          params.stateParams() != null);
    } catch (FaultException e) {
      throw LogFormatException.malformed(e);
    }
  }

  private String origin() {
    return keys.authority().origin(strand);
  }

  /// Whose folder it is.
  Bytes marker() {
    return Bytes.utf8(origin() + "\n");
  }

  /// Of genesis.
  String verifierKey() {
    return new NoteKey(origin(), keys.noteKey()).vkey();
  }

  /// @param checkpoint that lies in the folder
  /// @throws ProofRejectedException if it was not signed for this log
  Optional<SignedHead> earlier(Optional<Bytes> checkpoint) throws ProofRejectedException {
    if (checkpoint.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Checkpoint.verify(checkpoint.get(), strand, keys, signatures));
    } catch (ProofRejectedException e) {
      throw new ProofRejectedException(
          e.reason(), "the checkpoint exported before: " + e.getMessage(), e);
    }
  }

  static void checkReaches(Optional<SignedHead> earlier, long size) throws ProofRejectedException {
    if (earlier.isPresent() && size < earlier.get().size().value()) {
      throw new ProofRejectedException(
          Reason.ROLLBACK,
          "the log has %d leaves, a signed head of %s was exported before"
              .formatted(size, earlier.get().size()));
    }
  }

  /// To be asked at each size.
  static void checkContinues(Optional<SignedHead> earlier, long size, CompactRange tree)
      throws ProofRejectedException {
    if (earlier.isPresent()
        && size == earlier.get().size().value()
        && !tree.root().equals(earlier.get().root().digest())) {
      throw new ProofRejectedException(
          Reason.FORK,
          "at size %d the log has root %s, signed and exported before was %s"
              .formatted(size, tree.root(), earlier.get().root()));
    }
  }

  /// The head to be exported.
  void check(Bytes checkpoint, long size, Digest root) throws ProofRejectedException {
    SignedHead head = Checkpoint.verify(checkpoint, strand, keys, signatures);
    if (head.size().value() != size || !head.root().digest().equals(root)) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH,
          "the checkpoint is of size %s and root %s, the log has %d leaves and root %s"
              .formatted(head.size(), head.root(), size, root));
    }
  }
}
