package io.tallystick.server.seal;

import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.server.world.JsnSet;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Which journals the target of an occult names.
public final class OccultTargets {
  private OccultTargets() {}

  /// @param end they are below it
  /// @return those below `end` that the target names; of a clue those that name it
  public static JsnSet find(StrandIndex strand, ErasureTarget target, long end)
      throws IOException, CorruptStreamException {
    return lowest(strand, target, end, Long.MAX_VALUE);
  }

  /// The same, of a clue the lowest `max` of them alone.
  public static JsnSet lowest(StrandIndex strand, ErasureTarget target, long end, long max)
      throws IOException, CorruptStreamException {
    JsnSet.Builder targets = new JsnSet.Builder();
    AtomicLong left = new AtomicLong(max);
    switch (target) {
      case ErasureTarget.Journals(List<JournalRef> named) ->
          named.stream()
              .mapToLong(each -> each.jsn().value())
              .filter(jsn -> jsn < end)
              .forEach(targets::add);
      case ErasureTarget.OfClue(Digest clueId, Jsn first, Jsn last) -> {
        if (strand.index(Feature.CLUE_TRIE, BlockIndex.class) instanceof ClueEntries clues) {
          clues.visit(
              clueId,
              first.value(),
              Math.min(last.value(), end - 1),
              jsn -> {
                targets.add(jsn);
                return left.decrementAndGet() > 0;
              });
        }
      }
    }
    return targets.build();
  }
}
