package io.tallystick.storage.forest;

import java.io.IOException;

/// Writes the nodes of a version that are in no slot, children before parents. For the owner.
final class NodeWriter {
  private final ForestStore store;

  NodeWriter(ForestStore store) {
    this.store = store;
  }

  void write(ForestVersion version) throws IOException {
    for (ForestPartition partition : version.partitions()) {
      if (partition.root().isUnsaved()) {
        write(partition.root());
      }
    }
  }

  /// Depth first, so that each child has its address; at most 16 deep.
  private void write(NodeRef ref) throws IOException {
    ForestPage page = ref.page();
    if (page instanceof InnerPage inner) {
      for (int slot = 0; slot < inner.count(); slot++) {
        NodeRef child = inner.unsavedChild(slot);
        if (child != null) {
          write(child);
        }
      }
    }
    if (page == null) {
      throw new AssertionError("a node neither in memory nor in a slot");
    }
    ref.saveAt(store.slotPages().write(page));
    store.written(ref, page instanceof InnerPage inner ? inner.saved() : page);
  }
}
