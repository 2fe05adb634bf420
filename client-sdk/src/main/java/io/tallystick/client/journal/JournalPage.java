package io.tallystick.client.journal;

import io.tallystick.model.Jsn;
import java.util.List;
import java.util.Optional;

/// A run of journals, genesis and seals included, each verified to stand at its jsn under `size`
/// leaves of the trusted log.
///
/// @param next where the following page begins; empty if this was the last
public record JournalPage(List<LedgerJournal> journals, Optional<Jsn> next) {
  /// The most journals of one.
  public static final int LIMIT_MAX = 1000;

  public JournalPage {
    journals = List.copyOf(journals);
  }

  /// @throws IllegalArgumentException unless so many may be asked for at once
  public static void checkLimit(int limit) {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new IllegalArgumentException("limit " + limit + ", want 1 to " + LIMIT_MAX);
    }
  }
}
