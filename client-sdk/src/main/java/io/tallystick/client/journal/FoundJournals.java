package io.tallystick.client.journal;

import io.tallystick.model.Jsn;
import io.tallystick.model.TreeSize;
import java.util.List;
import java.util.Optional;

/// The journals that one call of a scan found: each is verified as if it was read alone, and fits
/// the filter. That none is left out is the service's word.
///
/// @param journals in order; there may be more behind an empty list
/// @param size of the trusted head under which they stand
/// @param scannedTo all leaves before it were looked at, says the service
/// @param next where the scan goes on; empty if it is over
public record FoundJournals(
    List<LedgerJournal> journals, TreeSize size, Jsn scannedTo, Optional<Jsn> next) {
  public FoundJournals {
    journals = List.copyOf(journals);
  }
}
