package io.tallystick.client.journal;

import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Jsn;

/// The outcome for one journal of several that were asked for together.
public sealed interface JournalOutcome {
  Jsn jsn();

  /// The journal, verified as by {@link io.tallystick.client.LedgerHandle#get(Jsn)}.
  ///
  /// @throws TallyException why there is none
  LedgerJournal orThrow() throws TallyException;

  /// Read and verified.
  record Found(LedgerJournal journal) implements JournalOutcome {
    @Override
    public Jsn jsn() {
      return journal.jsn();
    }

    @Override
    public LedgerJournal orThrow() {
      return journal;
    }
  }

  /// Refused by the service, or its answer does not verify.
  record Failed(Jsn jsn, TallyException failure) implements JournalOutcome {
    @Override
    public LedgerJournal orThrow() throws TallyException {
      throw failure;
    }
  }
}
