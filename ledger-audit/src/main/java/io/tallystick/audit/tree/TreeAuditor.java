package io.tallystick.audit.tree;

import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.source.TileFiles;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.note.NoteKey;
import java.io.IOException;
import java.util.Optional;

/// Audits the tree of a C2SP tlog-tiles log of any operator: that its checkpoint is signed, that
/// its entries have the signed root, that every hash tile has the hashes of the entries, and that
/// it continues a head verified before. What the entries are it does not ask; of a ledger's log
/// {@link io.tallystick.audit.Auditor} says far more. Memory is bounded however long the log is.
///
/// @param key of the log; its name is the log's origin
public record TreeAuditor(NoteKey key, Signatures signatures) {
  /// The head that a checkpoint states, if the log's key signed it.
  public TreeHead head(Bytes checkpoint) throws ProofRejectedException {
    return TreeHead.verify(checkpoint, key, signatures);
  }

  /// @param earlier a head of this log that was verified before
  /// @throws IOException if the files could not be read; then the log neither passed nor failed
  public TreeReport audit(TileFiles files, Optional<TreeHead> earlier, AuditProgress progress)
      throws IOException {
    return new TreeRun(this, files, earlier, progress).run();
  }
}
