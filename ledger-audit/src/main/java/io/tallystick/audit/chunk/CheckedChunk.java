package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.model.Bytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A chunk after all checks that need no history.
///
/// @param leaves what the replay walks over; those before the fatal fault
/// @param clues which of them name clues
/// @param heads of a T-Ledger, which of them hold a head
/// @param ops which of them have operations on the state
/// @param faults that end nothing, ascending by jsn
/// @param events ascending by their last jsn
/// @param fatal the fault of the leaf behind the last
/// @param closing with the last chunk of a log whose leaves are right
/// @param counts what was counted
public record CheckedChunk(
    LeafRow leaves,
    ClueRow clues,
    List<HeldHead> heads,
    OpRow ops,
    List<AuditFault> faults,
    List<Event> events,
    @Nullable AuditFault fatal,
    @Nullable Closing closing,
    RunningCounts counts) {

  /// The end of a log and its last leaf, with which the signed heads are checked.
  public record Closing(LogEnd end, Bytes lastLeaf) {}
}
