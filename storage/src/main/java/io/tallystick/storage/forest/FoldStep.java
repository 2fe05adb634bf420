package io.tallystick.storage.forest;

import io.tallystick.model.Bytes;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The part of the fold that one block does: it looks at twice as many entries of the oldest
/// partitions as the block writes keys, page by page. Source: `docs/formats/forest.md`, "Fold".
final class FoldStep {
  private static final int CLOSED_BEFORE_FOLD = 8;

  private final PageCache cache;
  private final List<ForestPartition> closed;
  private final @Nullable ForestPartition open;
  private final List<ForestPartition> emptied = new ArrayList<>();
  private final List<HeldEntry> carried = new ArrayList<>();
  private Fold fold;

  /// @param before the version that the block changes
  FoldStep(ForestVersion before, PageCache cache) {
    this.cache = cache;
    this.closed = new ArrayList<>(before.partitions());
    this.open = !closed.isEmpty() && closed.getLast().isOpen() ? closed.removeLast() : null;
    this.fold = before.fold();
  }

  /// @param added the block's entries
  void run(BlockEntries added) throws IOException, CorruptStreamException {
    if (!fold.runs() && passIsDue(added)) {
      fold = fold.begun(closed.getLast().number());
    }
    long left = 2L * added.size();
    while (fold.runs() && left > 0) {
      left -= look(left, added);
    }
  }

  /// Looks at entries of the oldest partition.
  ///
  /// @param most entries
  /// @return how many it has looked at
  private long look(long most, BlockEntries added) throws IOException, CorruptStreamException {
    ForestPartition oldest = closed.getFirst();
    EntryCursor cursor = new EntryCursor(cache, oldest, true);
    cursor.seek(fold.position());
    long looked = 0;
    while (looked < most && !cursor.isAtEnd()) {
      boolean current = cursor.isPresent() && isCurrent(cursor.key(), added);
      if (current) {
        carried.add(cursor.held());
      }
      fold = fold.looked(current);
      looked++;
      cursor.next();
    }
    if (cursor.isAtEnd()) {
      emptied.add(closed.removeFirst());
      fold = fold.left(oldest.number());
    }
    return looked;
  }

  private boolean isCurrent(Bytes key, BlockEntries added)
      throws IOException, CorruptStreamException {
    SoughtKey sought = new SoughtKey(key);
    if (added.has(key) || (open != null && open.holds(cache, sought))) {
      return false;
    }
    for (ForestPartition partition : closed.subList(1, closed.size())) {
      if (partition.holds(cache, sought)) {
        return false;
      }
    }
    return true;
  }

  private boolean passIsDue(BlockEntries added) throws IOException, CorruptStreamException {
    if (closed.size() < CLOSED_BEFORE_FOLD) {
      return false;
    }
    long want = 2 * fold.carriedBefore();
    long least = open == null ? added.size() : open.entryCount();
    for (ForestPartition partition : closed) {
      least += partition.entryCount();
    }
    if (open == null || least > want || least + added.size() <= want) {
      return least > want;
    }
    for (HeldEntry held : added.list()) { // only where it depends on how many of them are new
      least += open.holds(cache, new SoughtKey(held.key())) ? 0 : 1;
    }
    return least > want;
  }

  /// The closed partitions that stay.
  List<ForestPartition> closed() {
    return closed;
  }

  /// Null if there is none.
  @Nullable ForestPartition open() {
    return open;
  }

  /// The partitions that were looked through.
  List<ForestPartition> emptied() {
    return emptied;
  }

  /// The entries that go into the open partition unchanged.
  List<HeldEntry> carried() {
    return carried;
  }

  Fold fold() {
    return fold;
  }
}
