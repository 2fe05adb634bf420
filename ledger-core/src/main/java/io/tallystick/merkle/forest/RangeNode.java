package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The part of a partition's tree that a range of keys meets: `[level, n, separators, slot, [entry
/// bstr | [entryCount, node] …], [roots outside …]]`. Source: `docs/formats/forest.md`.
///
/// @param slot of the first record shown
/// @param records of consecutive slots: entries at level 0, children above it
/// @param roots of the maximal complete subtrees outside those slots
public record RangeNode(
    int level, Separators separators, int slot, List<Item> records, List<Digest> roots) {
  public RangeNode {
    records = List.copyOf(records);
    roots = List.copyOf(roots);
  }

  /// A record that is shown.
  public sealed interface Item {}

  /// @param encoded a {@link StateEntry}
  public record EntryItem(Bytes encoded) implements Item {}

  /// @param entryCount of the child, as its parent's record says
  public record ChildItem(long entryCount, RangeNode node) implements Item {}

  void encodeInto(CborWriter out) {
    out.array(6).uint(level).uint(separators.size() + 1L);
    separators.encodeInto(out);
    out.uint(slot).array(records.size());
    for (Item item : records) {
      switch (item) {
        case EntryItem(Bytes encoded) -> out.bytes(encoded);
        case ChildItem(long entryCount, RangeNode node) -> {
          out.array(2).uint(entryCount);
          node.encodeInto(out);
        }
      }
    }
    out.array(roots.size());
    roots.forEach(out::digest);
  }

  /// @param levelMax the highest level that it may have
  static RangeNode decode(CborReader in, int levelMax) throws MalformedException {
    in.array("node", 6);
    int level = (int) in.uint("level", levelMax);
    int count = StateNode.decodeCount(in, level);
    Separators separators = Separators.decode(in, count - 1);
    int slot = (int) in.uint("slot", count - 1L);
    int shown = in.arrayAtMost("records", count - slot);
    List<Item> records = new ArrayList<>(shown);
    for (int i = 0; i < shown; i++) {
      records.add(level == 0 ? new EntryItem(Bytes.wrap(in.bytes())) : child(in, level - 1));
    }
    List<Digest> roots = Hashes.decode(in, RangeProof.ROOTS_MAX);
    return new RangeNode(level, separators, slot, records, roots);
  }

  // A decoder goes down a level each time: the recursion ends.
  private static Item child(CborReader in, int level) throws MalformedException {
    in.array("child", 2);
    long entryCount = in.uint();
    RangeNode node = decode(in, level);
    if (node.level != level) {
      throw new MalformedException("child of level " + node.level + ", want " + level);
    }
    return new ChildItem(entryCount, node);
  }

  /// The node's hash, if it shows exactly what the wanted keys meet.
  ///
  /// @param own the keys that belong below this node
  /// @param wanted the keys asked for
  /// @param entryCount of the node, as its parent or partition says
  /// @param entries takes each entry shown, in order
  Digest verify(KeyRange own, KeyRange wanted, long entryCount, List<StateEntry> entries)
      throws ProofRejectedException {
    own.checkInside(separators);
    checkSlots(wanted);
    if (level == 0 && separators.size() + 1L != entryCount) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, "leaf of " + (separators.size() + 1) + " entries, want " + entryCount);
    }
    List<Digest> hashes = new ArrayList<>(records.size());
    for (int i = 0; i < records.size(); i++) {
      KeyRange keys = own.slot(separators, slot + i);
      hashes.add(TreeHasher.leafHash(record(records.get(i), keys, wanted, entries)));
    }
    Digest root =
        new RangeProof(slot, records.size(), separators.size() + 1L, roots).rootFrom(hashes);
    return StateNode.hash(level, separators, root);
  }

  private void checkSlots(KeyRange wanted) throws ProofRejectedException {
    Bytes low = wanted.low();
    Bytes high = wanted.high();
    int first = low == null ? 0 : separators.slot(low);
    int last = high == null ? separators.size() : separators.countBelow(high);
    if (slot != first || records.size() != last - first + 1) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY,
          String.format(
              Locale.ROOT,
              "%d records from slot %d, the range meets slots %d to %d",
              records.size(),
              slot,
              first,
              last));
    }
  }

  private static Bytes record(Item item, KeyRange keys, KeyRange wanted, List<StateEntry> entries)
      throws ProofRejectedException {
    return switch (item) {
      case EntryItem(Bytes encoded) -> {
        try {
          StateEntry entry = StateEntry.decode(encoded);
          keys.checkHolds(entry.key());
          entries.add(entry);
          yield encoded;
        } catch (MalformedException e) {
          throw new ProofRejectedException(Reason.MALFORMED, "entry: " + e.getMessage(), e);
        }
      }
      case ChildItem(long entryCount, RangeNode node) ->
          new StateNode.Child(node.verify(keys, wanted, entryCount, entries), entryCount).encode();
    };
  }
}
