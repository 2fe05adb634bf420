package io.tallystick.storage.forest;

import java.util.ArrayList;
import java.util.List;

/// The saved nodes that the newest version no longer has, and how many nodes were replaced in all.
/// For the owner.
final class ReplacedNodes {
  private final List<Long> ids = new ArrayList<>();
  private long count;

  /// Nodes that versions no longer have, saved or not.
  long count() {
    return count;
  }

  /// Rows of nodes that no version has.
  void addRows(List<Long> rows) {
    ids.addAll(rows);
  }

  void add(ForestNode node) {
    count++;
    if (node.id() != ForestNode.UNSAVED) {
      ids.add(node.id());
    }
  }

  /// A node and all below it.
  void addAll(ForestNode node) {
    add(node);
    if (node instanceof ForestNode.Inner inner) {
      inner.children().forEach(this::addAll);
    }
  }

  List<Long> take() {
    List<Long> taken = List.copyOf(ids);
    ids.clear();
    return taken;
  }
}
