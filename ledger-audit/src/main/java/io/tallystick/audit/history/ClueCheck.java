package io.tallystick.audit.history;

import io.tallystick.audit.chunk.ClueRow;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.replay.ClueReplay;
import java.io.IOException;

/// Brings the clues of the journals into the clue trie, each where the replay has got. Not
/// thread-safe.
final class ClueCheck {
  private final FeatureReplay features;
  private final ClueReplay clues;
  private final RunningCounts counts;
  private ClueRow row = new ClueRow();
  private int next;

  ClueCheck(FeatureReplay features, ClueReplay clues, RunningCounts counts) {
    this.features = features;
    this.clues = clues;
    this.counts = counts;
  }

  /// Begins with the next chunk.
  void begin(ClueRow chunk) {
    row = chunk;
    next = 0;
    counts.clues = clues.clues();
  }

  /// The clues of a journal.
  ///
  /// @param leaf its index in the chunk
  /// @param height of the block it stands in
  void apply(int leaf, long jsn, long height) throws FaultException, IOException {
    for (; next < row.count() && row.leaf(next) == leaf; next++) {
      features.checkClues(jsn, height);
      boolean deletion = row.deletion(next);
      clues.append(row.bytes(), row.keyAt(next), row.entryAt(next), deletion ? jsn : 0);
      counts.clueDeletions += deletion ? 1 : 0;
      counts.clues = clues.clues();
      counts.clueEntries++;
    }
  }
}
