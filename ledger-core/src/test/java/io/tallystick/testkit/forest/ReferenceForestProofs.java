package io.tallystick.testkit.forest;

import io.tallystick.merkle.forest.LookupTree;
import io.tallystick.merkle.forest.PartitionSearch;
import io.tallystick.merkle.forest.RangeNode;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.forest.ReferenceForest.Partition;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/// The proofs that a {@link ReferenceForest} makes of itself.
public final class ReferenceForestProofs {
  private ReferenceForestProofs() {}

  public static StateLookup lookup(ReferenceForest forest, Bytes key) {
    List<Partition> partitions = forest.partitions();
    int first = partitions.size();
    boolean found = false;
    while (first > 0 && !found) {
      first--;
      found = partitions.get(first).entries().containsKey(key);
    }
    return lookup(forest, key, first);
  }

  /// A proof that searches from partition `first` on, wherever the key is.
  public static StateLookup lookup(ReferenceForest forest, Bytes key, int first) {
    List<Partition> partitions = forest.partitions();
    List<PartitionSearch> searches = new ArrayList<>();
    for (Partition partition : partitions.subList(first, partitions.size())) {
      searches.add(search(partition, key));
    }
    List<Bytes> encoded = partitions.stream().map(Partition::encode).toList();
    List<Digest> roots = outside(encoded, first, partitions.size() - first);
    return new StateLookup(partitions.size(), first, roots, searches);
  }

  private static PartitionSearch search(Partition partition, Bytes key) {
    List<PartitionSearch.Step> steps = new ArrayList<>();
    ReferenceNode node = partition.root();
    while (true) {
      List<Bytes> records = node.records();
      int slot = ReferenceNode.slot(node.separators(), key);
      List<Digest> path = new ReferenceTree(records).inclusionPath(slot, records.size());
      Separators separators = new Separators(node.separators());
      steps.add(new PartitionSearch.Step(node.level(), separators, records.get(slot), path));
      if (!(node instanceof ReferenceNode.Inner inner)) {
        return new PartitionSearch(partition.encode(), steps);
      }
      node = inner.children().get(slot);
    }
  }

  /// The proof of several keys.
  ///
  /// @param keys strictly ascending
  public static StateLookups lookups(ReferenceForest forest, List<Bytes> keys) {
    return lookupsOf(forest, soughtIn(forest, keys));
  }

  /// Which of the keys are looked up in each of the newest partitions, oldest first: all in the
  /// newest; in an older one those that no newer one holds; down to where none is left.
  public static List<List<Bytes>> soughtIn(ReferenceForest forest, List<Bytes> keys) {
    List<List<Bytes>> sought = new ArrayList<>();
    List<Bytes> left = keys;
    for (Partition partition : forest.partitions().reversed()) {
      if (!left.isEmpty()) {
        sought.addFirst(left);
      }
      left = left.stream().filter(key -> !partition.entries().containsKey(key)).toList();
    }
    return sought;
  }

  /// A proof whose parts show what these keys meet, whether they belong there or not.
  ///
  /// @param sought for each of the newest partitions, oldest first
  public static StateLookups lookupsOf(ReferenceForest forest, List<List<Bytes>> sought) {
    List<Partition> partitions = forest.partitions();
    int first = partitions.size() - sought.size();
    List<StateLookups.Part> parts = new ArrayList<>();
    for (int i = 0; i < sought.size(); i++) {
      Partition partition = partitions.get(first + i);
      parts.add(new StateLookups.Part(partition.encode(), tree(partition.root(), sought.get(i))));
    }
    List<Bytes> encoded = partitions.stream().map(Partition::encode).toList();
    List<Digest> roots = outside(encoded, first, sought.size());
    return new StateLookups(partitions.size(), first, roots, parts);
  }

  private static LookupTree tree(ReferenceNode node, List<Bytes> keys) {
    List<Bytes> records = node.records();
    List<LookupTree.Item> items = new ArrayList<>();
    Set<Integer> shown = new HashSet<>();
    for (int slot = 0; slot < records.size(); slot++) {
      int own = slot;
      List<Bytes> here =
          keys.stream().filter(key -> ReferenceNode.slot(node.separators(), key) == own).toList();
      if (!here.isEmpty()) {
        shown.add(slot);
        items.add(
            switch (node) {
              case ReferenceNode.Leaf leaf -> new LookupTree.EntryItem(records.get(own));
              case ReferenceNode.Inner inner -> {
                ReferenceNode child = inner.children().get(own);
                yield new LookupTree.ChildItem(child.entryCount(), tree(child, here));
              }
            });
      }
    }
    List<Digest> roots = new ArrayList<>();
    outside(new ReferenceTree(records), shown, 0, records.size(), roots);
    return new LookupTree(node.level(), new Separators(node.separators()), items, roots);
  }

  /// outside(lo, hi) of `docs/formats/forest.md`.
  private static void outside(
      ReferenceTree tree, Set<Integer> shown, int low, int high, List<Digest> roots) {
    if (IntStream.range(low, high).noneMatch(shown::contains)) {
      roots.add(tree.root(low, high));
    } else if (high - low > 1) {
      int half = 1;
      while (2 * half < high - low) {
        half *= 2;
      }
      outside(tree, shown, low, low + half, roots);
      outside(tree, shown, low + half, high, roots);
    }
  }

  public static StateRange range(ReferenceForest forest, Bytes from, Optional<Bytes> to) {
    List<StateRange.Part> parts = new ArrayList<>();
    for (Partition partition : forest.partitions()) {
      parts.add(new StateRange.Part(partition.encode(), node(partition.root(), from, to)));
    }
    return new StateRange(parts);
  }

  private static RangeNode node(ReferenceNode node, Bytes from, Optional<Bytes> to) {
    List<Bytes> separators = node.separators();
    List<Bytes> records = node.records();
    int first = ReferenceNode.slot(separators, from);
    int last =
        to.isEmpty()
            ? separators.size()
            : (int) separators.stream().filter(s -> s.compareTo(to.get()) < 0).count();
    List<RangeNode.Item> items = new ArrayList<>();
    for (int slot = first; slot <= last; slot++) {
      items.add(item(node, slot, records.get(slot), from, to));
    }
    List<Digest> roots = outside(records, first, last - first + 1);
    return new RangeNode(node.level(), new Separators(separators), first, items, roots);
  }

  private static RangeNode.Item item(
      ReferenceNode node, int slot, Bytes record, Bytes from, Optional<Bytes> to) {
    return switch (node) {
      case ReferenceNode.Leaf leaf -> new RangeNode.EntryItem(record);
      case ReferenceNode.Inner inner -> {
        ReferenceNode child = inner.children().get(slot);
        yield new RangeNode.ChildItem(child.entryCount(), node(child, from, to));
      }
    };
  }

  private static List<Digest> outside(List<Bytes> data, int first, int count) {
    return data.isEmpty()
        ? List.of()
        : new ReferenceTree(data).outsideRange(first, count, data.size());
  }
}
