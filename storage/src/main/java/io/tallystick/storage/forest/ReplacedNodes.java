package io.tallystick.storage.forest;

import java.util.ArrayList;
import java.util.List;

/// The saved nodes that the newest version no longer has. For the owner.
final class ReplacedNodes {
  private final List<Long> ids = new ArrayList<>();

  void add(ForestNode node) {
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
