package io.tallystick.testkit.vectors;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.ReferenceStates;
import io.tallystick.testkit.forest.ReferenceForest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Blocks of operations from height 1 on, with the jsns that they have in a log, and what they make
/// of the state by definition. Not thread-safe.
final class ForestBlocks {
  private record Journal(long jsn, List<Op> ops) {}

  private record Block(long height, List<Journal> journals) {
    List<StateEntry> writes() {
      List<StateEntry> writes = new ArrayList<>();
      for (Journal journal : journals) {
        Jsn jsn = new Jsn(journal.jsn);
        journal.ops.forEach(op -> writes.add(ReferenceStates.entry(op, jsn)));
      }
      return writes;
    }
  }

  private final StateParams params;
  private final List<Block> blocks = new ArrayList<>();
  private final Map<Bytes, StateEntry> newest = new HashMap<>();
  private List<Journal> open = new ArrayList<>();
  private long nextJsn = 2;

  ForestBlocks(StateParams params) {
    this.params = params;
  }

  StateParams params() {
    return params;
  }

  long nextJsn() {
    return nextJsn;
  }

  /// What a key has, if it is not deleted.
  Optional<StateEntry> present(Bytes key) {
    return Optional.ofNullable(newest.get(key)).filter(StateEntry::isPresent);
  }

  /// A journal into the open block.
  ForestBlocks journal(Op... ops) {
    return journal(List.of(ops));
  }

  ForestBlocks journal(List<Op> ops) {
    long jsn = nextJsn++;
    ops.forEach(op -> newest.put(op.key(), ReferenceStates.entry(op, new Jsn(jsn))));
    open.add(new Journal(jsn, List.copyOf(ops)));
    return this;
  }

  ForestBlocks seal() {
    nextJsn++;
    blocks.add(new Block(blocks.size() + 1L, open));
    open = new ArrayList<>();
    return this;
  }

  /// A block of one journal.
  ForestBlocks block(Op... ops) {
    return journal(ops).seal();
  }

  static Op put(String key, String value) {
    return put(key, value, new Precondition.None());
  }

  static Op put(String key, String value, Precondition precondition) {
    return new Op.Put(Bytes.utf8(key), commit(value), value.length(), precondition);
  }

  static Op delete(String key) {
    return new Op.Delete(Bytes.utf8(key), new Precondition.None());
  }

  static Digest commit(String value) {
    return Sha256.hash(Bytes.utf8(value).toArray());
  }

  /// A change to what a block writes.
  @FunctionalInterface
  interface Tampering {
    List<StateEntry> of(long height, List<StateEntry> writes);
  }

  /// The forest after all blocks, and the root after each.
  record Outcome(ReferenceForest forest, List<Digest> roots) {}

  Outcome outcome() {
    return outcome(params, ReferenceForest.Carrying.RIGHT, (height, writes) -> writes);
  }

  Outcome outcome(StateParams by, ReferenceForest.Carrying carrying, Tampering tampering) {
    ReferenceForest forest = new ReferenceForest(by, carrying);
    List<Digest> roots = new ArrayList<>();
    for (Block block : blocks) {
      forest.apply(block.height, tampering.of(block.height, block.writes()));
      roots.add(forest.root());
    }
    return new Outcome(forest, roots);
  }

  /// A vector of these blocks.
  ///
  /// @param claimed what the seals say
  VectorCase vector(String name, List<Digest> claimed) {
    List<Map<String, Object>> encoded = new ArrayList<>();
    for (int i = 0; i < blocks.size(); i++) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("height", blocks.get(i).height);
      fields.put("journals", blocks.get(i).journals.stream().map(ForestBlocks::encoded).toList());
      fields.put("stateRoot", claimed.get(i).hex());
      encoded.add(fields);
    }
    return VectorCase.of("forest-replay/" + name, "stateReplay", name.replace('-', ' '))
        .with(
            "params",
            List.of(params.entriesMax(), params.leafEntriesMax(), params.innerEntriesMax()))
        .with("blocks", encoded);
  }

  private static Map<String, Object> encoded(Journal journal) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("jsn", journal.jsn);
    fields.put("ops", new Ops(journal.ops).encode().hex());
    return fields;
  }
}
