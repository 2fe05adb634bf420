package io.tallystick.server.host;

import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Op;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.forest.ReferenceForest;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// What a ledger's state should be, block by block: a map of every height, and the reference
/// forest.
final class StateModel {
  /// @param value empty if the key was deleted
  record Held(StateEntry entry, Optional<Bytes> value) {}

  private final ReferenceForest forest;
  private final List<NavigableMap<Bytes, Held>> heights = new ArrayList<>();
  private final List<Digest> roots = new ArrayList<>();

  StateModel(StateParams params) {
    forest = new ReferenceForest(params);
    heights.add(new TreeMap<>());
    roots.add(forest.root());
  }

  /// A block of one journal.
  ///
  /// @param salt of the journal
  void block(long jsn, Bytes salt, List<DraftOp> ops) {
    NavigableMap<Bytes, Held> next = new TreeMap<>(heights.getLast());
    List<StateEntry> writes = new ArrayList<>();
    for (int i = 0; i < ops.size(); i++) {
      Held held = held(ops.get(i), salt, i, new Jsn(jsn));
      writes.add(held.entry);
      next.put(held.entry.key(), held);
    }
    heights.add(next);
    forest.apply(heights.size() - 1, writes);
    roots.add(forest.root());
  }

  private static Held held(DraftOp op, Bytes salt, int index, Jsn jsn) {
    return switch (op) {
      case DraftOp.Put put -> {
        Op.Put committed = (Op.Put) put.commit(salt, index);
        yield new Held(
            StateEntry.put(put.key(), committed.valueCommit(), put.value().size(), jsn),
            Optional.of(put.value()));
      }
      case DraftOp.Delete delete ->
          new Held(StateEntry.tombstone(delete.key(), jsn), Optional.empty());
    };
  }

  long height() {
    return heights.size() - 1L;
  }

  Digest root(long height) {
    return roots.get((int) height);
  }

  /// All keys that were ever written up to a height.
  NavigableMap<Bytes, Held> at(long height) {
    return heights.get((int) height);
  }

  /// The entries with a value, in key order.
  List<Held> present(long height) {
    return at(height).values().stream().filter(held -> held.value.isPresent()).toList();
  }
}
