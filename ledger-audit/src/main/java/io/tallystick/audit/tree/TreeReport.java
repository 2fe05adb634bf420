package io.tallystick.audit.tree;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.note.NoteKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The result of an audit of a log's tree. In its faults jsn is the number of an entry, from 0; −1
/// where no entry is to blame but the checkpoint.
///
/// @param head as it is signed; empty if there is none by this key
/// @param earlier the head that was verified before
/// @param entries read
/// @param root recomputed over them
/// @param entryBytes of them
/// @param tiles of hashes that were compared
/// @param levels of such tiles
/// @param faults ascending; empty if all is right
public record TreeReport(
    NoteKey key,
    Optional<TreeHead> head,
    Optional<TreeHead> earlier,
    long entries,
    JournalRoot root,
    long entryBytes,
    long tiles,
    int levels,
    List<AuditFault> faults,
    Duration elapsed) {
  public TreeReport {
    faults = List.copyOf(faults);
  }

  /// Empty if nothing is wrong.
  public Optional<AuditFault> firstFault() {
    return faults.stream().findFirst();
  }

  /// Plain words for people.
  public String text() {
    return TreeText.of(this);
  }

  /// Plain values for machines.
  public TreeSummary summary() {
    return TreeSummary.of(this);
  }
}
