package io.tallystick.storage.clue;

import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Finds entries of one clue's list, from its head as it was at one moment. Not thread-safe: one
/// per read.
final class ClueReader {
  private final AppendArray cells;
  private final byte[] head;
  private final CellBytes cell = new CellBytes();

  /// @param head not changed by anybody
  ClueReader(AppendArray cells, byte[] head) {
    this.cells = cells;
    this.head = head;
    cell.clue(HeadBytes.clueId(head));
  }

  ClueEntry entry(long index) throws IOException, CorruptStreamException {
    seek(index);
    return entryAtHand(index);
  }

  /// Reads the entries `[first, first + count)`, the newest first.
  void readBack(long first, int count, Sink sink) throws IOException, CorruptStreamException {
    if (count == 0) {
      return;
    }
    seek(first + count - 1);
    sink.entry(count - 1, cell);
    for (int place = count - 2; place >= 0; place--) {
      cell.read(cells, cell.previous(), first + place);
      sink.entry(place, cell);
    }
  }

  /// Receives entries.
  @FunctionalInterface
  interface Sink {
    /// @param place of the entry in the range
    /// @param entry overwritten by the next
    void entry(int place, CellBytes entry);
  }

  /// Reads entry `index`: from the root of the tree that it lies in, by skips while they do not
  /// lead past it.
  private void seek(long index) throws IOException, CorruptStreamException {
    int place = HeadBytes.trees(head) - 1;
    long at = HeadBytes.count(head) - 1;
    for (long older = SkipGeometry.skip(at); older >= index; older = SkipGeometry.skip(at)) {
      at = older;
      place--;
    }
    cell.read(cells, HeadBytes.spineCell(head, place), at);
    while (at > index) {
      long skip = SkipGeometry.skip(at);
      boolean skips = skip >= index;
      at = skips ? skip : at - 1;
      cell.read(cells, skips ? cell.skip() : cell.previous(), at);
    }
  }

  /// The newest entry whose jsn is not above `jsn`; null if all are above.
  ///
  /// The spine says, without a look at a cell, in whose root's tree it is, if it is not the next
  /// older root `low` itself. That tree is two trees below its root; each step leaves one of them.
  @Nullable ClueEntry latest(long jsn) throws IOException, CorruptStreamException {
    int place = HeadBytes.trees(head) - 1;
    long root = SkipGeometry.NONE; // above jsn, when there is one
    long low = HeadBytes.count(head) - 1; // not above jsn
    while (place >= 0 && HeadBytes.spineJsn(head, place) > jsn) {
      root = low;
      low = SkipGeometry.skip(low);
      place--;
    }
    long lowCell = place < 0 ? CellBytes.NONE : HeadBytes.spineCell(head, place);
    if (root == SkipGeometry.NONE || root - 1 == low) {
      return entryAt(low, lowCell);
    }
    cell.read(cells, HeadBytes.spineCell(head, place + 1), root);
    return latestBelow(root, low, lowCell, jsn);
  }

  /// @param root the cell at hand; it skips to `low`
  private @Nullable ClueEntry latestBelow(long root, long low, long lowCell, long jsn)
      throws IOException, CorruptStreamException {
    long previous = cell.previous();
    while (root - 1 > low) {
      long newer = root - 1;
      cell.read(cells, previous, newer);
      if (cell.jsn() <= jsn) {
        return entryAtHand(newer);
      }
      long older = SkipGeometry.skip(newer);
      long olderCell = cell.skip();
      long newerPrevious = cell.previous();
      cell.read(cells, olderCell, older);
      if (cell.jsn() > jsn) {
        root = older;
        previous = cell.previous();
      } else if (newer - 1 == older) {
        return entryAtHand(older);
      } else {
        low = older;
        lowCell = olderCell;
        root = newer;
        previous = newerPrevious;
      }
    }
    return entryAt(low, lowCell);
  }

  private @Nullable ClueEntry entryAt(long index, long number)
      throws IOException, CorruptStreamException {
    if (index == SkipGeometry.NONE) {
      return null;
    }
    cell.read(cells, number, index);
    return entryAtHand(index);
  }

  private ClueEntry entryAtHand(long index) {
    return new ClueEntry(index, cell.jsn(), cell.leafHash());
  }
}
