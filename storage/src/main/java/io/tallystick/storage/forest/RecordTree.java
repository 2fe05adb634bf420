package io.tallystick.storage.forest;

import io.tallystick.merkle.NodeId;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The RFC 9162 tree over the records of one node, or over the partitions of a forest, for proofs.
final class RecordTree {
  private final int size;
  private final List<List<Digest>> levels = new ArrayList<>();

  private RecordTree(List<Bytes> records) {
    size = records.size();
    List<Digest> level = new ArrayList<>(size);
    for (Bytes record : records) {
      level.add(TreeHasher.leafHash(record));
    }
    while (!level.isEmpty()) {
      levels.add(level);
      List<Digest> above = new ArrayList<>(level.size() / 2);
      for (int i = 0; i + 1 < level.size(); i += 2) {
        above.add(TreeHasher.nodeHash(level.get(i), level.get(i + 1)));
      }
      level = above;
    }
  }

  /// @param records at least one
  static RecordTree of(List<Bytes> records) {
    return new RecordTree(records);
  }

  List<Digest> inclusionPath(int index) {
    List<Digest> path = new ArrayList<>();
    for (List<NodeId> element : TreeGeometry.inclusionPath(index, size)) {
      path.add(TreeHasher.foldRight(element.stream().map(this::at).toList()));
    }
    return path;
  }

  List<Digest> outsideRange(int first, int count) {
    return TreeGeometry.outsideRange(first, count, size).stream().map(this::at).toList();
  }

  /// The roots over the records that are not shown: a part of which none is shown is one root, any
  /// other is split as RFC 9162 splits it.
  ///
  /// @param shown ascending, at least one
  List<Digest> outside(List<Integer> shown) {
    List<Digest> roots = new ArrayList<>();
    addOutside(shown, 0, size, roots);
    return roots;
  }

  private void addOutside(List<Integer> shown, int low, int high, List<Digest> roots) {
    int next = Collections.binarySearch(shown, low);
    int index = next < 0 ? -next - 1 : next;
    if (index == shown.size() || shown.get(index) >= high) {
      roots.add(
          TreeHasher.foldRight(TreeGeometry.cover(low, high).stream().map(this::at).toList()));
    } else if (high - low > 1) {
      int middle = low + Integer.highestOneBit(high - low - 1);
      addOutside(shown, low, middle, roots);
      addOutside(shown, middle, high, roots);
    }
  }

  private Digest at(NodeId node) {
    return levels.get(node.level()).get(Math.toIntExact(node.index()));
  }
}
