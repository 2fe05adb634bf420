package io.tallystick.storage.forest;

import io.tallystick.model.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The nodes that take a node's place, and the separators between them: one node, or the pieces
/// that one with too many records is cut into. Source: `docs/formats/forest.md`, "Shape".
///
/// @param cuts one fewer than pages
record Pieces(List<ForestPage> pages, List<Bytes> cuts) {
  private static int pieces(int records, int max) {
    return Math.ceilDiv(records, max);
  }

  private static int pieceSize(int records, int pieces, int piece) {
    return records / pieces + (piece < records % pieces ? 1 : 0);
  }

  /// Cuts the children of an inner node.
  ///
  /// @param old the node that is made anew; null for none
  static Pieces inner(int level, @Nullable InnerPage old, ChildList children, int innerMax) {
    byte[] oldHashes = old == null ? new byte[0] : old.handOver();
    int oldCount = old == null ? 0 : old.count();
    int[] sources = children.sources();
    List<ForestPage> pages = new ArrayList<>();
    List<Bytes> cuts = new ArrayList<>();
    int count = pieces(children.size(), innerMax);
    int from = 0;
    for (int piece = 0; piece < count; piece++) {
      int to = from + pieceSize(children.size(), count, piece);
      if (from > 0) {
        cuts.add(children.separatorBefore(from));
      }
      InnerPage page = children.page(level, from, to);
      page.keepHashes(new ForestPage.Origin(oldHashes, oldCount, sources, from, count == 1));
      pages.add(page);
      from = to;
    }
    return new Pieces(pages, cuts);
  }

  /// Cuts a leaf's entries and `batch[from, to)`, which replace those with the same keys.
  ///
  /// @param old null for none
  static Pieces leaves(@Nullable LeafPage old, EntryBatch batch, int from, int to, int leafMax) {
    Merge merge = new Merge(old, batch, from, to);
    List<ForestPage> pages = new ArrayList<>();
    List<Bytes> cuts = new ArrayList<>();
    int count = pieces(merge.count, leafMax);
    int first = 0;
    for (int piece = 0; piece < count; piece++) {
      int end = first + pieceSize(merge.count, count, piece);
      if (first > 0) {
        cuts.add(merge.separatorBefore(first));
      }
      pages.add(merge.page(first, end));
      first = end;
    }
    return new Pieces(pages, cuts);
  }

  /// The entries of both in key order; each is one of the leaf's, or one of the batch's: ~index.
  private static final class Merge {
    private final byte[] oldHashes;
    private final int oldCount;
    private final @Nullable LeafPage old;
    private final EntryBatch batch;
    private int[] sources;
    private int count;

    Merge(@Nullable LeafPage old, EntryBatch batch, int from, int to) {
      this.old = old;
      this.batch = batch;
      this.oldHashes = old == null ? new byte[0] : old.handOver();
      this.oldCount = old == null ? 0 : old.count();
      sources = new int[oldCount + to - from];
      int i = 0;
      int k = from;
      while (old != null && i < oldCount && k < to) {
        int order =
            EntryBytes.compareKeys(old.array(i), old.start(i), batch.bytes(), batch.start(k));
        if (order < 0) {
          sources[count++] = i++;
        } else {
          sources[count++] = ~k++;
          i += order == 0 ? 1 : 0;
        }
      }
      while (i < oldCount) {
        sources[count++] = i++;
      }
      while (k < to) {
        sources[count++] = ~k++;
      }
      sources = Arrays.copyOf(sources, count);
    }

    private byte[] array(int index) {
      int source = sources[index];
      return source < 0 || old == null ? batch.bytes() : old.array(source);
    }

    private int start(int index) {
      int source = sources[index];
      return source < 0 || old == null ? batch.start(~source) : old.start(source);
    }

    private int bytes(int index) {
      int source = sources[index];
      return source < 0 || old == null ? batch.entryBytes(~source) : old.entryBytes(source);
    }

    Bytes separatorBefore(int right) {
      int shared =
          EntryBytes.sharedPrefix(array(right - 1), start(right - 1), array(right), start(right));
      return Bytes.copyOf(array(right), EntryBytes.keyStart(start(right)), shared + 1);
    }

    LeafPage page(int from, int to) {
      boolean alone = to - from == count;
      LeafPage made = alone && old != null ? LeafPage.sharing(old, batch, sources) : null;
      if (made == null) {
        made = stored(from, to);
      }
      made.keepHashes(new ForestPage.Origin(oldHashes, oldCount, sources, from, alone));
      return made;
    }

    private LeafPage stored(int from, int to) {
      int all = 0;
      for (int i = from; i < to; i++) {
        all += bytes(i);
      }
      LeafPage.Builder page = new LeafPage.Builder(to - from, all);
      for (int i = from; i < to; i++) {
        page.add(array(i), start(i), bytes(i));
      }
      return page.page();
    }
  }
}
