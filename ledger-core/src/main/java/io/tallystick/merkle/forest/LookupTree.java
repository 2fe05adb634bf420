package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The part of a partition's tree that the ways of several keys go through: `[level, n, separators,
/// [entry bstr …] at level 0 | [[entryCount, tree] …] above it, [outside …]]`. The slots of the
/// records are not written: they follow from the keys. Source: `docs/formats/forest.md`.
///
/// @param records of the slots of the keys, each once: entries at level 0, children above it
/// @param outside roots over the other records, as RFC 9162 splits the node, left to right
public record LookupTree(
    int level, Separators separators, List<Item> records, List<Digest> outside) {
  public LookupTree {
    records = List.copyOf(records);
    outside = List.copyOf(outside);
  }

  /// A record that is shown.
  public sealed interface Item {}

  /// @param encoded a {@link StateEntry}
  public record EntryItem(Bytes encoded) implements Item {}

  /// @param entryCount of the child, as its parent's record says
  public record ChildItem(long entryCount, LookupTree tree) implements Item {}

  /// Counts the trees of a proof while they are decoded. Not thread-safe.
  static final class Count {
    private int trees;

    private void add() throws MalformedException {
      if (++trees > StateLookups.TREES_MAX) {
        throw new MalformedException("more than " + StateLookups.TREES_MAX + " trees");
      }
    }
  }

  void encodeInto(CborWriter out) {
    out.array(5).uint(level).uint(separators.size() + 1L);
    separators.encodeInto(out);
    out.array(records.size());
    for (Item item : records) {
      switch (item) {
        case EntryItem(Bytes encoded) -> out.bytes(encoded);
        case ChildItem(long entryCount, LookupTree tree) -> {
          out.array(2).uint(entryCount);
          tree.encodeInto(out);
        }
      }
    }
    out.array(outside.size());
    outside.forEach(out::digest);
  }

  /// @param levelMax the highest level that it may have
  static LookupTree decode(CborReader in, int levelMax, Count trees) throws MalformedException {
    trees.add();
    in.array("tree", 5);
    int level = (int) in.uint("level", levelMax);
    int count = StateNode.decodeCount(in, level);
    Separators separators = Separators.decode(in, count - 1);
    int shown = in.arrayAtMost("records", count);
    List<Item> records = new ArrayList<>(shown);
    for (int i = 0; i < shown; i++) {
      records.add(level == 0 ? entry(in) : child(in, level - 1, trees));
    }
    return new LookupTree(level, separators, records, Hashes.decode(in, count - shown));
  }

  private static Item entry(CborReader in) throws MalformedException {
    return new EntryItem(Bytes.wrap(in.bytes("entry", PartitionSearch.RECORD_BYTES_MAX)));
  }

  // A decoder goes down a level each time: the recursion ends.
  private static Item child(CborReader in, int level, Count trees) throws MalformedException {
    in.array("child", 2);
    long entryCount = in.uint();
    LookupTree tree = decode(in, level, trees);
    if (tree.level != level) {
      throw new MalformedException("child of level " + tree.level + ", want " + level);
    }
    return new ChildItem(entryCount, tree);
  }

  /// The node's hash, if it shows exactly what the keys meet.
  ///
  /// @param own the keys that belong below this node
  /// @param keys those that are looked up, ascending, at least one; all belong below this node
  /// @param entryCount of the node, as its parent or partition says
  /// @param found takes the entry of each of the keys that has one
  Digest verify(KeyRange own, List<Bytes> keys, long entryCount, Map<Bytes, StateEntry> found)
      throws ProofRejectedException {
    own.checkInside(separators);
    if (level == 0 && separators.size() + 1 != entryCount) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, "leaf of " + (separators.size() + 1) + " entries, want " + entryCount);
    }
    List<Integer> slots = new ArrayList<>();
    List<Digest> hashes = new ArrayList<>();
    int from = 0;
    while (from < keys.size()) {
      int slot = separators.slot(keys.get(from));
      int end = from + 1;
      while (end < keys.size() && separators.slot(keys.get(end)) == slot) {
        end++;
      }
      checkShown(slots.size() < records.size(), slots.size() + 1);
      Item item = records.get(slots.size());
      KeyRange range = own.slot(separators, slot);
      Bytes record = record(item, range, keys.subList(from, end), found);
      slots.add(slot);
      hashes.add(TreeHasher.leafHash(record));
      from = end;
    }
    checkShown(slots.size() == records.size(), slots.size());
    Digest root = new Split(slots, hashes, outside).root(separators.size() + 1);
    return StateNode.hash(level, separators, root);
  }

  private void checkShown(boolean holds, int met) throws ProofRejectedException {
    if (!holds) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY,
          String.format(
              Locale.ROOT,
              "a node of level %d shows %d records, the keys meet %s%d",
              level,
              records.size(),
              met > records.size() ? "at least " : "",
              met));
    }
  }

  private static Bytes record(
      Item item, KeyRange range, List<Bytes> keys, Map<Bytes, StateEntry> found)
      throws ProofRejectedException {
    return switch (item) {
      case EntryItem(Bytes encoded) -> {
        try {
          StateEntry entry = StateEntry.decode(encoded);
          range.checkHolds(entry.key());
          if (keys.contains(entry.key())) {
            found.put(entry.key(), entry);
          }
          yield encoded;
        } catch (MalformedException e) {
          throw new ProofRejectedException(Reason.MALFORMED, "entry: " + e.getMessage(), e);
        }
      }
      case ChildItem(long entryCount, LookupTree tree) ->
          new StateNode.Child(tree.verify(range, keys, entryCount, found), entryCount).encode();
    };
  }

  /// The root over a node's records, of those that are shown and of the roots over the others: a
  /// part of which none is shown is one root, any other part is split as RFC 9162 splits it. Not
  /// thread-safe.
  private static final class Split {
    private final List<Integer> slots;
    private final List<Digest> hashes;
    private final List<Digest> outside;
    private int shownUsed;
    private int outsideUsed;

    Split(List<Integer> slots, List<Digest> hashes, List<Digest> outside) {
      this.slots = slots;
      this.hashes = hashes;
      this.outside = outside;
    }

    Digest root(int count) throws ProofRejectedException {
      Digest root = over(0, count);
      if (outsideUsed != outside.size()) {
        throw wrongLength();
      }
      return root;
    }

    // A node has 1,024 records at most: the recursion ends behind ten levels.
    private Digest over(int low, int high) throws ProofRejectedException {
      if (shownUsed == slots.size() || slots.get(shownUsed) >= high) {
        if (outsideUsed == outside.size()) {
          throw wrongLength();
        }
        return outside.get(outsideUsed++);
      }
      if (high - low == 1) {
        return hashes.get(shownUsed++);
      }
      int middle = low + Integer.highestOneBit(high - low - 1);
      Digest left = over(low, middle);
      return TreeHasher.nodeHash(left, over(middle, high));
    }

    private ProofRejectedException wrongLength() {
      return new ProofRejectedException(
          Reason.WRONG_PATH_LENGTH,
          outside.size() + " roots outside the records shown do not fit them");
    }
  }
}
