package io.tallystick.storage.forest;

import io.tallystick.merkle.TreeHasher;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.merkle.forest.StateNode;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;

/// A node of a partition's tree. Its content never changes: an update makes new nodes for those on
/// the way to what changed. Thread-safe once its hash was asked for.
abstract sealed class ForestNode {
  /// Not saved yet.
  static final long UNSAVED = -1;

  private final Separators separators;
  private final List<Bytes> records;
  private final Digest hash;
  private long id = UNSAVED;

  private ForestNode(int level, Separators separators, List<Bytes> records) {
    this.separators = separators;
    this.records = records;
    this.hash = StateNode.hash(level, separators, TreeHasher.rootOverData(records));
  }

  abstract int level();

  abstract long entryCount();

  final Separators separators() {
    return separators;
  }

  /// The encoded records, in order.
  final List<Bytes> records() {
    return records;
  }

  final Digest hash() {
    return hash;
  }

  /// The number of its row; {@link #UNSAVED} before its first savepoint. For the owner.
  final long id() {
    return id;
  }

  final void saveAs(long newId) {
    id = newId;
  }

  /// The record that its parent has of it.
  final Bytes child() {
    return new StateNode.Child(hash, entryCount()).encode();
  }

  static final class Leaf extends ForestNode {
    private final List<HeldEntry> entries;

    /// @param entries at least one, in ascending order of keys
    Leaf(List<HeldEntry> entries) {
      super(
          0,
          Separators.between(entries.stream().map(HeldEntry::key).toList()),
          entries.stream().map(held -> held.entry().encode()).toList());
      this.entries = List.copyOf(entries);
    }

    List<HeldEntry> entries() {
      return entries;
    }

    @Override
    int level() {
      return 0;
    }

    @Override
    long entryCount() {
      return entries.size();
    }
  }

  static final class Inner extends ForestNode {
    private final int level;
    private final List<ForestNode> children;
    private final long entryCount;

    /// @param children at least two, all of the level below
    Inner(int level, List<ForestNode> children, List<Bytes> separators) {
      super(level, new Separators(separators), records(children));
      this.level = level;
      this.children = List.copyOf(children);
      this.entryCount = children.stream().mapToLong(ForestNode::entryCount).sum();
    }

    private static List<Bytes> records(List<ForestNode> children) {
      List<Bytes> records = new ArrayList<>(children.size());
      children.forEach(child -> records.add(child.child()));
      return records;
    }

    List<ForestNode> children() {
      return children;
    }

    @Override
    int level() {
      return level;
    }

    @Override
    long entryCount() {
      return entryCount;
    }
  }
}
