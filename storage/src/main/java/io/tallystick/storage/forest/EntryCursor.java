package io.tallystick.storage.forest;

import io.tallystick.model.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Walks the entries of one partition in key order, from a key on. Not thread-safe.
final class EntryCursor implements Comparable<EntryCursor> {
  /// An inner node on the way down, and the child to go on with.
  private static final class Branch {
    private final ForestNode.Inner node;
    private int next;

    private Branch(ForestNode.Inner node, int next) {
      this.node = node;
      this.next = next;
    }
  }

  private final long partition;
  private final Deque<Branch> branches = new ArrayDeque<>();
  private List<HeldEntry> leaf = List.of();
  private int index;

  EntryCursor(ForestPartition partition, Bytes from) {
    this.partition = partition.number();
    descend(partition.root(), from);
    while (index < leaf.size() && leaf.get(index).key().compareTo(from) < 0) {
      index++;
    }
    nextLeafIfDone();
  }

  private void descend(ForestNode root, Bytes from) {
    ForestNode node = root;
    while (node instanceof ForestNode.Inner inner) {
      int slot = inner.separators().slot(from);
      branches.push(new Branch(inner, slot + 1));
      node = inner.children().get(slot);
    }
    leaf = ((ForestNode.Leaf) node).entries();
  }

  /// The entry it stands at; null behind the last.
  @Nullable HeldEntry current() {
    return index < leaf.size() ? leaf.get(index) : null;
  }

  void advance() {
    index++;
    nextLeafIfDone();
  }

  private void nextLeafIfDone() {
    while (index == leaf.size() && !branches.isEmpty()) {
      Branch branch = branches.peek();
      if (branch.next == branch.node.children().size()) {
        branches.pop();
        continue;
      }
      ForestNode child = branch.node.children().get(branch.next++);
      if (child instanceof ForestNode.Inner inner) {
        branches.push(new Branch(inner, 0));
      } else {
        leaf = ((ForestNode.Leaf) child).entries();
        index = 0;
      }
    }
  }

  /// By key, and of one key the newest partition first; both stand at an entry.
  @Override
  public int compareTo(EntryCursor other) {
    int order = leaf.get(index).key().compareTo(other.leaf.get(other.index).key());
    return order != 0 ? order : Long.compare(other.partition, partition);
  }
}
