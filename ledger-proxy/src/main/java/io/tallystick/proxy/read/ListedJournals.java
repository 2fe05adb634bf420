package io.tallystick.proxy.read;

import java.util.List;
import java.util.Optional;

/// Journals that follow each other in a log.
///
/// @param size of the tree that the page was cut from
/// @param next where the next page begins; empty if this was the last
public record ListedJournals(List<LogPage.Item> journals, long size, Optional<PageCursor> next) {
  public ListedJournals {
    journals = List.copyOf(journals);
  }
}
