package io.tallystick.client;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.journal.RequestDraft;
import java.util.List;

/// What a handle works with once its ledger is pinned.
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
    LedgerRemovals removals) {
  VerifiedBatch signedAndAppended(RequestDraft draft) throws TallyException {
    return appender.append(appender.sign(List.of(draft)));
  }

  /// The same, unless the newest head is older than the configuration allows.
  OpenLedger freshEnough() throws TallyException {
    reader.checkAge();
    return this;
  }
}
