package io.tallystick.audit;

import io.tallystick.evidence.HeadStatement;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
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
  ///   statement is of another strand
  public static OtherHead of(String name, Bytes content, StrandId strand)
      throws ProofRejectedException {
    try {
      if (StatementCodec.isStatement(content)) {
        AuditStatement.Head head = StatementCodec.head(content, strand);
        return new OtherHead(
            name, Optional.empty(), new TreeSize(head.size()), new JournalRoot(head.root()));
      }
      HeadStatement.Stated stated = HeadStatement.stated(content);
      return new OtherHead(name, Optional.of(content), stated.size(), stated.root());
    } catch (ProofRejectedException e) {
      throw new ProofRejectedException(e.reason(), name + ": " + e.getMessage(), e);
    }
  }
}
