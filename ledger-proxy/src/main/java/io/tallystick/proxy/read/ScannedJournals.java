package io.tallystick.proxy.read;

import io.tallystick.node.ProvenJournal;
import java.util.List;
import java.util.Optional;

/// The journals that a scan of a log found.
///
/// @param journals each proven to be in the tree of `size`
/// @param size of the tree that was looked at
/// @param scannedTo all leaves from the scan's begin to before it were looked at, or are out of the
///   filter's time
/// @param next where the scan goes on; empty if no more is to be found
public record ScannedJournals(
    List<ProvenJournal> journals, long size, long scannedTo, Optional<PageCursor> next) {
  public ScannedJournals {
    journals = List.copyOf(journals);
  }
}
