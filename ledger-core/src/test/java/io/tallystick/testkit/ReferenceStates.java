package io.tallystick.testkit;

import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.forest.ReferenceForest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What the operations of a log make of its state, by the definition.
public final class ReferenceStates {
  private ReferenceStates() {}

  /// The state after the last of these entries, which begin with genesis.
  static ReferenceForest forest(StateParams params, List<ReferenceEntry> entries) {
    ReferenceForest forest = new ReferenceForest(params);
    List<StateEntry> writes = new ArrayList<>();
    long block = 0;
    for (int jsn = 1; jsn < entries.size(); jsn++) {
      Optional<SignedRequest> request = entries.get(jsn).request();
      if (request.isPresent()) {
        writes.addAll(writes(request.get().ops(), jsn));
      } else {
        forest.apply(block++, writes);
        writes.clear();
      }
    }
    forest.apply(block, writes);
    return forest;
  }

  /// What the operations of a journal leave in the state.
  ///
  /// @param ops encoded
  public static List<StateEntry> writes(Bytes ops, long jsn) {
    try {
      return Ops.decode(ops).values().stream().map(op -> entry(op, new Jsn(jsn))).toList();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// What an operation leaves in the state.
  public static StateEntry entry(Op op, Jsn jsn) {
    return switch (op) {
      case Op.Put put -> StateEntry.put(put.key(), put.valueCommit(), put.valueSizeBytes(), jsn);
      case Op.Delete delete -> StateEntry.tombstone(delete.key(), jsn);
    };
  }
}
