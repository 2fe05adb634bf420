package io.tallystick.client.journal;

import io.tallystick.model.Jsn;
import java.util.List;
import java.util.Optional;

/// A run of journals, genesis and seals included, each verified to stand at its jsn under `size`
/// leaves of the trusted log.
///
/// @param next where the following page begins; empty if this was the last
public record JournalPage(List<LedgerJournal> journals, Optional<Jsn> next) {
  public JournalPage {
    journals = List.copyOf(journals);
  }
}
