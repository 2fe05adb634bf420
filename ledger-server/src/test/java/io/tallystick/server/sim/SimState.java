package io.tallystick.server.sim;

import io.tallystick.journal.Body;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.forest.ReferenceForest;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The state of a ledger as its journals write it: a map of every height, and the forest as it is
/// defined. It only grows. Source: `docs/formats/forest.md`.
final class SimState {
  /// @param value null if it was deleted
  record Held(StateEntry entry, @Nullable Bytes value) {}

  private final @Nullable ReferenceForest forest;
  private final List<NavigableMap<Bytes, Held>> heights = new ArrayList<>();
  private final List<StateEntry> writes = new ArrayList<>();
  private NavigableMap<Bytes, Held> newest = new TreeMap<>();

  /// @param params null in a ledger without state
  SimState(@Nullable StateParams params) {
    forest = params == null ? null : new ReferenceForest(params);
  }

  /// A journal of the block that is open.
  void add(long jsn, SignedRequest request) {
    if (request.ops().isEmpty()) {
      return;
    }
    if (writes.isEmpty()) {
      newest = new TreeMap<>(newest);
    }
    try {
      List<Bytes> values = new ArrayList<>(Body.decode(request.body()).values());
      for (Op op : Ops.decode(request.ops()).values()) {
        Held held =
            switch (op) {
              case Op.Put put ->
                  new Held(
                      StateEntry.put(
                          put.key(), put.valueCommit(), put.valueSizeBytes(), new Jsn(jsn)),
                      values.removeFirst());
              case Op.Delete delete ->
                  new Held(StateEntry.tombstone(delete.key(), new Jsn(jsn)), null);
            };
        newest.put(op.key(), held);
        writes.add(held.entry);
      }
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// Closes the open block.
  ///
  /// @return the state root of its seal
  Digest seal() {
    heights.add(newest);
    if (forest == null) {
      return SealLeaf.EMPTY_STATE_ROOT;
    }
    forest.apply(heights.size() - 1, writes);
    writes.clear();
    return forest.root();
  }

  /// As of the newest block.
  NavigableMap<Bytes, Held> newest() {
    return newest;
  }

  NavigableMap<Bytes, Held> at(long height) {
    return heights.get((int) height);
  }
}
