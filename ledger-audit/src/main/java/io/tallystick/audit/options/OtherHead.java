package io.tallystick.audit.options;

import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.audit.statement.StatementCodec;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import java.util.Optional;

/// A head that somebody else has of the audited log: what it states, not verified yet.
///
/// @param name where it is from, for the report
/// @param statement as the service signed it, a note or a COSE_Sign1; empty in another auditor's
///   statement, which has the head's size and root alone
public record OtherHead(String name, Optional<Bytes> statement, TreeSize size, JournalRoot root) {
  /// Reads a checkpoint, a head statement or an audit statement.
  ///
  /// @param name where it is from
  /// @throws ProofRejectedException `MALFORMED` if it is none of them, `WRONG_LEDGER` if an audit
  ///   statement is of another strand, `SIZE_OUT_OF_RANGE` if the size is not 1 to 2^62
  public static OtherHead of(String name, Bytes content, StrandId strand)
      throws ProofRejectedException {
    try {
      if (StatementCodec.isStatement(content)) {
        AuditStatement.Head head = StatementCodec.head(content, strand);
        checkSize(head.size());
        return new OtherHead(
            name, Optional.empty(), new TreeSize(head.size()), new JournalRoot(head.root()));
      }
      HeadStatement.Stated stated = HeadStatement.stated(content);
      checkSize(stated.size().value());
      return new OtherHead(name, Optional.of(content), stated.size(), stated.root());
    } catch (ProofRejectedException e) {
      throw new ProofRejectedException(e.reason(), name + ": " + e.getMessage(), e);
    }
  }

  private static void checkSize(long size) throws ProofRejectedException {
    if (size < 1 || size > TreeGeometry.SIZE_MAX) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE, "tree size " + size + ", want 1 to 2^62");
    }
  }
}
