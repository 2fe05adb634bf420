package io.tallystick.proxy.read;

import io.tallystick.node.ProvenLineage;
import java.util.List;
import java.util.Optional;

/// A page of a clue's journals.
///
/// @param journals in the order of the lineage's jsns; empty if they were not asked for
/// @param next where the next page begins; empty if this was the last
public record LineagePage(
    ProvenLineage lineage, List<LogPage.Item> journals, Optional<LineageCursor> next) {
  public LineagePage {
    journals = List.copyOf(journals);
  }
}
