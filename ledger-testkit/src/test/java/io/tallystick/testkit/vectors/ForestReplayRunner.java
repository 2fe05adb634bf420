package io.tallystick.testkit.vectors;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.forest.ForestLimits;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.ForestStore;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import io.tallystick.testkit.ReferenceStates;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Carries out the vectors of topic `forest-replay`: the operations of a list of blocks, on the
/// service's own forest. Not thread-safe.
final class ForestReplayRunner {
  private final StateForest forest;
  private final Map<Bytes, StateEntry> written = new HashMap<>();
  private final List<HeldEntry> block = new ArrayList<>();
  private final List<Object> roots = new ArrayList<>();
  private final List<Object> wrong = new ArrayList<>();
  private final List<Object> failed = new ArrayList<>();

  private ForestReplayRunner(StateForest forest) {
    this.forest = forest;
  }

  static Map<String, Object> replay(Vector vector) throws MalformedException {
    List<Integer> numbers = vector.list("params").stream().map(n -> ((Long) n).intValue()).toList();
    StateParams params = StateParams.of(numbers.get(0), numbers.get(1), numbers.get(2));
    try (Workers workers = new Workers(1, "replay");
        ForestStore store =
            ForestStore.restore(
                new InMemoryDisk(),
                new InMemoryMetaStore(),
                workers,
                BatchHasher.cpu(),
                ForestLimits.DEFAULT)) {
      StrandId strand = new StrandId(new LedgerId(Digest.ZERO), 0);
      ForestReplayRunner runner = new ForestReplayRunner(store.forest(strand, params));
      for (Vector block : parts(vector, "blocks")) {
        runner.block(block);
      }
      return Map.of("roots", runner.roots, "wrong", runner.wrong, "failed", runner.failed);
    } catch (IOException | CorruptStreamException e) {
      throw new AssertionError("a state in memory fails", e);
    }
  }

  private static List<Vector> parts(Vector vector, String field) {
    List<Vector> parts = new ArrayList<>();
    for (Object item : vector.list(field)) {
      Map<String, Object> fields = new HashMap<>();
      ((Map<?, ?>) item).forEach((name, value) -> fields.put((String) name, value));
      parts.add(new Vector(vector.name() + " " + field + " " + parts.size(), fields));
    }
    return parts;
  }

  private void block(Vector fields) throws MalformedException, IOException, CorruptStreamException {
    written.clear();
    block.clear();
    for (Vector journal : parts(fields, "journals")) {
      List<Op> ops = Ops.decode(journal.bytes("ops")).values();
      for (int i = 0; i < ops.size(); i++) {
        operation(ops.get(i), new Jsn(journal.number("jsn")), i);
      }
    }
    long height = fields.number("height");
    Digest root = forest.apply(height, block).root().digest();
    roots.add(root.hex());
    if (!root.equals(fields.digest("stateRoot"))) {
      wrong.add(height);
    }
  }

  private void operation(Op op, Jsn jsn, int index) throws IOException, CorruptStreamException {
    StateEntry newest = written.get(op.key());
    Optional<StateEntry> present =
        (newest == null ? stored(op.key()) : Optional.of(newest)).filter(StateEntry::isPresent);
    if (!holds(op.precondition(), present)) {
      failed.add(List.of(jsn.value(), (long) index));
    }
    StateEntry entry = ReferenceStates.entry(op, jsn);
    written.put(op.key(), entry);
    block.add(new HeldEntry(entry, entry.isPresent() ? new Location(jsn.value(), index) : null));
  }

  private Optional<StateEntry> stored(Bytes key) throws IOException, CorruptStreamException {
    try (ForestReader reader = forest.version().open().orElseThrow()) {
      return reader.find(key).map(HeldEntry::entry);
    }
  }

  private static boolean holds(Precondition precondition, Optional<StateEntry> present) {
    return switch (precondition) {
      case Precondition.None _ -> true;
      case Precondition.IfAbsent _ -> present.isEmpty();
      case Precondition.IfVersion(Jsn jsn) -> present.map(StateEntry::jsn).equals(Optional.of(jsn));
      case Precondition.IfCommit ifCommit ->
          present.flatMap(StateEntry::valueCommit).equals(Optional.of(ifCommit.valueCommit()));
    };
  }
}
