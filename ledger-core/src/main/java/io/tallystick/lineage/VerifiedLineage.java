package io.tallystick.lineage;

import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import java.util.ArrayList;
import java.util.List;

/// A run of a clue's journals, ascending by jsn, of which none between two is missing. Made only by
/// verifying a {@link LineageProof}.
///
/// @param state of the clue, with the size of the log it was proven for
/// @param first index of the first among the clue's journals, from 0
/// @param entries at least one
public record VerifiedLineage(ClueState.Used state, long first, List<LineageEntry> entries) {
  public VerifiedLineage {
    entries = List.copyOf(entries);
  }

  /// Whether these are all journals of the clue, from the log's first leaf to the head.
  public boolean isComplete() {
    return first == 0 && reachesLast();
  }

  /// The clue's journals among the first `size` leaves of the log: these and no others. The clue's
  /// tree only grows, so a lineage under a newer head answers for every older size, with the first
  /// journal beyond it as witness.
  ///
  /// @param size at most that of the head
  /// @return none if the clue was not used there yet
  /// @throws ProofRejectedException with `MISSING` if the run does not begin with the clue's first
  ///   journal or ends too early to tell
  public List<LineageEntry> completeAt(TreeSize size) throws ProofRejectedException {
    if (first != 0) {
      throw new ProofRejectedException(
          Reason.MISSING, "the clue's first " + first + " journals are not shown");
    }
    return entries.subList(0, Math.toIntExact(countAt(size)));
  }

  /// How many journals the clue had among the first `size` leaves of the log.
  ///
  /// @param size at most that of the head
  /// @throws ProofRejectedException with `MISSING` if the run does not show the last journal below
  ///   `size` and the one behind it
  public long countAt(TreeSize size) throws ProofRejectedException {
    if (size.compareTo(state.size()) > 0) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE, "size " + size + ", proven up to " + state.size());
    }
    int below = 0;
    while (below < entries.size() && entries.get(below).jsn() < size.value()) {
      below++;
    }
    if (below == 0 && first != 0) {
      throw new ProofRejectedException(
          Reason.MISSING, "journal " + (first - 1) + " of the clue, before size " + size);
    }
    if (below == entries.size() && !reachesLast()) {
      throw new ProofRejectedException(
          Reason.MISSING, "journal " + end() + " of the clue, behind size " + size);
    }
    return first + below;
  }

  /// That the run `next` follows this one: both proven under one head, and no journal between them.
  public void checkFollowedBy(VerifiedLineage next) throws ProofRejectedException {
    if (!state.equals(next.state)) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, "runs of " + state + " and " + next.state);
    }
    if (next.first != end()) {
      throw new ProofRejectedException(
          Reason.MISSING, "journals of the clue from " + end() + ", next is " + next.first);
    }
    if (next.entries.getFirst().jsn() <= entries.getLast().jsn()) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          "jsn " + next.entries.getFirst().jsn() + " behind " + entries.getLast().jsn());
    }
  }

  /// This run and the one that follows it, both proven under one head.
  public VerifiedLineage joined(VerifiedLineage next) throws ProofRejectedException {
    return join(List.of(this, next));
  }

  /// Runs of which each follows the one before, as one: linear in their journals.
  ///
  /// @param runs at least one
  public static VerifiedLineage join(List<VerifiedLineage> runs) throws ProofRejectedException {
    VerifiedLineage begin = runs.getFirst();
    VerifiedLineage before = null;
    List<LineageEntry> all = new ArrayList<>();
    for (VerifiedLineage run : runs) {
      if (before != null) {
        before.checkFollowedBy(run);
      }
      all.addAll(run.entries);
      before = run;
    }
    return new VerifiedLineage(begin.state, begin.first, all);
  }

  /// Index behind the last journal of the run.
  public long end() {
    return first + entries.size();
  }

  /// Whether the run's last journal is the clue's.
  public boolean reachesLast() {
    return end() == state.count();
  }
}
