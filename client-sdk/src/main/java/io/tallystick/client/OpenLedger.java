package io.tallystick.client;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.internal.read.JournalReader;
import io.tallystick.client.internal.read.LedgerReader;
import io.tallystick.client.internal.read.MemberDirectory;
import io.tallystick.client.lineage.LineageReader;
import io.tallystick.client.state.StateReader;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import java.util.List;

/// The parts that a handle works with once its ledger is pinned.
record OpenLedger(
    TrustedLog log,
    DraftMaker drafts,
    Appender appender,
    LedgerReader reader,
    JournalReader journals,
    MemberDirectory members,
    LineageReader lineage,
    StateReader state,
    LedgerProposals proposals,
    LedgerAnchors anchors,
    LedgerCertificates certificates,
    LedgerRemovals removals,
    LedgerProofs proofs) {
  VerifiedBatch signedAndAppended(RequestDraft draft) throws TallyException {
    return appender.append(appender.sign(List.of(draft)));
  }

  /// The same, unless the newest head is older than the configuration allows.
  OpenLedger freshEnough() throws TallyException {
    reader.checkAge();
    return this;
  }

  /// The receipt of a rotation, once the ledger's key chain shows it.
  VerifiedReceipt followed(VerifiedReceipt receipt, Extension.KeyRotation rotation)
      throws TallyException {
    ServiceKeys.Term rotated =
        new ServiceKeys.Term(
            new TreeSize(receipt.jsn().value() + 2), rotation.noteKey(), rotation.receiptKey());
    if (!log.followKeys().keys().terms().contains(rotated)) {
      throw log.refused(
          new ProofRejectedException(
              Reason.MISSING, "the key chain does not show the rotation at " + receipt.jsn()));
    }
    return receipt;
  }
}
