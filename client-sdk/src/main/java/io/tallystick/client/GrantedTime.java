package io.tallystick.client;

import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.journal.Extension;

/// A time journal, verified in the ledger. Its proof is not judged here: `tally audit --tsa-ca`
/// does.
///
/// @param provenMs when the head that it names was stamped, as the service says; within 10 s of the
///   journal's own time
public record GrantedTime(LedgerJournal journal, Extension.Time time, long provenMs) {}
