package io.tallystick.storage.clue;

import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Finds entries of one clue's list, from its head as it was at one moment. Not thread-safe: one
/// per read.
final class ClueListReader {
  private final AppendArray cells;
  private final byte[] head;
  private final CellBytes cell = new CellBytes();

  /// @param head not changed by anybody
  ClueListReader(AppendArray cells, byte[] head) {
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
  /// Spine and samples say, without a look at a cell, between which two entries it is. From the
  /// newer of them the way leads back: to the entry before it, or over that one's skip.
  @Nullable ClueEntry latest(long jsn) throws IOException, CorruptStreamException {
    int place = HeadBytes.trees(head) - 1;
    long above = SkipGeometry.NONE;
    long aboveCell = CellBytes.NONE;
    long low = HeadBytes.count(head) - 1;
    while (place >= 0 && HeadBytes.spineJsn(head, place) > jsn) {
      above = low;
      aboveCell = HeadBytes.spineCell(head, place);
      low = SkipGeometry.skip(low);
      place--;
    }
    long lowCell = place < 0 ? CellBytes.NONE : HeadBytes.spineCell(head, place);
    if (above == SkipGeometry.NONE) {
      return entryAt(low, lowCell);
    }
    int sample = firstSampleAbove(jsn);
    if (sample < HeadBytes.samples(head)
        && HeadBytes.sampleJsn(head, sample) > jsn
        && HeadBytes.sampleIndex(head, sample) < above) {
      above = HeadBytes.sampleIndex(head, sample);
      aboveCell = HeadBytes.sampleCell(head, sample);
    }
    if (sample > 0
        && HeadBytes.sampleJsn(head, sample - 1) != 0
        && HeadBytes.sampleIndex(head, sample - 1) > low) {
      low = HeadBytes.sampleIndex(head, sample - 1);
      lowCell = HeadBytes.sampleCell(head, sample - 1);
    }
    if (above - 1 == low) {
      return entryAt(low, lowCell);
    }
    cell.read(cells, aboveCell, above);
    return latestBelow(above, low, lowCell, jsn);
  }

  /// By bisection; a sample that is not known counts as not above, so the caller checks the result.
  private int firstSampleAbove(long jsn) {
    int from = 0;
    int to = HeadBytes.samples(head);
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (HeadBytes.sampleJsn(head, middle) > jsn) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }

  /// @param above the cell at hand, of an entry above `jsn`
  /// @param low an older entry that is not above it
  private @Nullable ClueEntry latestBelow(long above, long low, long lowCell, long jsn)
      throws IOException, CorruptStreamException {
    long previous = cell.previous();
    while (above - 1 > low) {
      long newer = above - 1;
      cell.read(cells, previous, newer);
      if (cell.jsn() <= jsn) {
        return entryAtHand(newer);
      }
      above = newer;
      previous = cell.previous();
      long older = SkipGeometry.skip(newer);
      if (older > low && older < newer - 1) {
        long olderCell = cell.skip();
        cell.read(cells, olderCell, older);
        if (cell.jsn() > jsn) {
          above = older;
          previous = cell.previous();
        } else {
          low = older;
          lowCell = olderCell;
        }
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
