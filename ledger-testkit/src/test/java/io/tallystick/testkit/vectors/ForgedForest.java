package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.head.LastSeal;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateNode;
import io.tallystick.merkle.forest.StatePartition;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Nodes, partitions and lookups that no honest forest has, hashed and encoded as a liar would. Its
/// partitions are of one block, of height 1.
final class ForgedForest {
  private ForgedForest() {}

  /// A node.
  ///
  /// @param separators encoded, in whatever form
  /// @param records encoded
  record Node(int level, Bytes separators, List<Bytes> records) {
    Node {
      records = List.copyOf(records);
    }

    Digest hash() {
      CborWriter out = new CborWriter().array(4).uint(level).uint(records.size());
      out.digest(Sha256.hash(new byte[] {3}, separators.toArray()));
      out.digest(new ReferenceTree(records).root(records.size()));
      return Sha256.hash(new byte[] {2}, out.toArray());
    }

    Bytes child(long entryCount) {
      return new StateNode.Child(hash(), entryCount).encode();
    }

    /// The step that shows the record of a slot.
    Bytes step(int slot) {
      return step(slot, records.get(slot));
    }

    /// The step that shows another record there.
    Bytes step(int slot, Bytes record) {
      return step(level, records.size(), slot, record);
    }

    Bytes step(int shownLevel, long n, int slot, Bytes record) {
      CborWriter out = new CborWriter().array(5).uint(shownLevel).uint(n).raw(separators);
      List<Digest> path = new ReferenceTree(records).inclusionPath(slot, records.size());
      out.bytes(record).array(path.size());
      path.forEach(out::digest);
      return out.toBytes();
    }

    /// A node of a range proof that shows the entries `[slot, slot + count)`.
    Bytes range(int slot, int count) {
      CborWriter out = startRange(slot, count);
      records.subList(slot, slot + count).forEach(out::bytes);
      return endRange(out, slot, count);
    }

    /// One that shows these children from `slot` on.
    ///
    /// @param children encoded
    Bytes range(int slot, List<Bytes> children, List<Long> entryCounts) {
      CborWriter out = startRange(slot, children.size());
      for (int i = 0; i < children.size(); i++) {
        out.array(2).uint(entryCounts.get(i)).raw(children.get(i));
      }
      return endRange(out, slot, children.size());
    }

    /// A tree of a proof of several keys that shows the records of these slots as entries.
    Bytes tree(int... slots) {
      CborWriter out = startTree(slots.length);
      IntStream.of(slots).forEach(slot -> out.bytes(records.get(slot)));
      return endTree(out, IntStream.of(slots).boxed().toList());
    }

    /// One that shows these children.
    ///
    /// @param trees encoded
    Bytes tree(List<Integer> slots, List<Bytes> trees, long... entryCounts) {
      CborWriter out = startTree(slots.size());
      for (int i = 0; i < trees.size(); i++) {
        out.array(2).uint(entryCounts[i]).raw(trees.get(i));
      }
      return endTree(out, slots);
    }

    private CborWriter startTree(int count) {
      return new CborWriter()
          .array(5)
          .uint(level)
          .uint(records.size())
          .raw(separators)
          .array(count);
    }

    private Bytes endTree(CborWriter out, List<Integer> slots) {
      List<Digest> roots = new ArrayList<>();
      outside(slots, 0, records.size(), roots);
      out.array(roots.size());
      roots.forEach(out::digest);
      return out.toBytes();
    }

    private void outside(List<Integer> slots, int low, int high, List<Digest> roots) {
      if (slots.stream().noneMatch(slot -> low <= slot && slot < high)) {
        roots.add(new ReferenceTree(records).root(low, high));
      } else if (high - low > 1) {
        int middle = low + Integer.highestOneBit(high - low - 1);
        outside(slots, low, middle, roots);
        outside(slots, middle, high, roots);
      }
    }

    private CborWriter startRange(int slot, int count) {
      CborWriter out = new CborWriter().array(6).uint(level).uint(records.size()).raw(separators);
      return out.uint(slot).array(count);
    }

    private Bytes endRange(CborWriter out, int slot, int count) {
      List<Digest> roots = new ReferenceTree(records).outsideRange(slot, count, records.size());
      out.array(roots.size());
      roots.forEach(out::digest);
      return out.toBytes();
    }
  }

  /// `[prefix, [suffix …]]` of any of them.
  static Bytes separators(String prefix, String... suffixes) {
    CborWriter out = new CborWriter().array(2).bytes(Bytes.utf8(prefix)).array(suffixes.length);
    Stream.of(suffixes).forEach(suffix -> out.bytes(Bytes.utf8(suffix)));
    return out.toBytes();
  }

  static Bytes entry(String key, long jsn) {
    return StateEntry.put(Bytes.utf8(key), Sha256.hash(new byte[] {(byte) jsn}), 5, new Jsn(jsn))
        .encode();
  }

  static Node leaf(Bytes separators, Bytes... entries) {
    return new Node(0, separators, List.of(entries));
  }

  static Node leaf(String key) {
    return leaf(separators(""), entry(key, 2));
  }

  static Node inner(int level, Bytes separators, Bytes... records) {
    return new Node(level, separators, List.of(records));
  }

  /// Partition 0, open.
  static Bytes partition(Node root, long entryCount) {
    return new StatePartition(0, 1, OptionalLong.empty(), entryCount, root.hash()).encode();
  }

  static Digest root(Bytes... partitions) {
    return StateRoot.over(List.of(partitions)).digest();
  }

  /// `[partition bstr, [step …]]`.
  static Bytes search(Bytes partition, Bytes... steps) {
    CborWriter out = new CborWriter().array(2).bytes(partition).array(steps.length);
    Stream.of(steps).forEach(out::raw);
    return out.toBytes();
  }

  /// A lookup proof of these searches.
  static Bytes lookup(LastSeal seal, Bytes key, long count, long first, Bytes... searches) {
    CborWriter out = start(8, 30, seal).bytes(key).uint(count).uint(first).array(0);
    out.array(searches.length);
    Stream.of(searches).forEach(out::raw);
    return out.toBytes();
  }

  /// A proof of several keys of one partition.
  static Bytes lookups(LastSeal seal, List<Bytes> keys, Bytes partition, Bytes tree) {
    CborWriter out = start(8, 33, seal).array(keys.size());
    keys.forEach(out::bytes);
    out.uint(1).uint(0).array(0).array(1);
    return out.array(2).bytes(partition).raw(tree).toBytes();
  }

  /// A range proof of one partition.
  ///
  /// @param to null for all keys from `from` on
  static Bytes range(LastSeal seal, Bytes from, @Nullable Bytes to, Bytes partition, Bytes node) {
    CborWriter out = start(7, 31, seal).bytes(from);
    if (to == null) {
      out.nil();
    } else {
      out.bytes(to);
    }
    out.uint(1).array(1);
    return out.array(2).bytes(partition).raw(node).toBytes();
  }

  private static CborWriter start(int items, int type, LastSeal seal) {
    CborWriter out = new CborWriter().array(items).uint(type).bytes(seal.seal());
    out.array(seal.path().size());
    seal.path().forEach(out::digest);
    return out;
  }
}
