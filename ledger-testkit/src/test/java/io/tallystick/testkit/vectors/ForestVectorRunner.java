package io.tallystick.testkit.vectors;

import io.tallystick.head.SignedHead;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateNode;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.state.LookupProof;
import io.tallystick.state.RangeOfState;
import io.tallystick.state.StateValue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Carries out the vectors of the state forest.
final class ForestVectorRunner {
  private ForestVectorRunner() {}

  /// Of a vector that names no head.
  static Map<String, Object> results(Vector vector)
      throws MalformedException, ProofRejectedException {
    return switch (vector.text("op")) {
      case "stateEntry" -> entry(vector);
      case "stateNode" -> node(vector);
      case "stateRoot" -> root(vector);
      case "stateValue" -> value(vector);
      case "stateReplay" -> ForestReplayRunner.replay(vector);
      default -> throw new IllegalArgumentException("unknown op " + vector.text("op"));
    };
  }

  private static Map<String, Object> entry(Vector vector) throws MalformedException {
    StateEntry entry = StateEntry.decode(vector.bytes("entry"));
    Map<String, Object> results = new TreeMap<>();
    results.put("key", entry.key().hex());
    results.put("present", entry.isPresent());
    entry.valueCommit().ifPresent(commit -> results.put("valueCommit", commit.hex()));
    results.put("valueSize", entry.valueSizeBytes());
    results.put("jsn", entry.jsn().value());
    return results;
  }

  private static Map<String, Object> node(Vector vector) {
    Separators separators = new Separators(vector.listOfBytes("separators"));
    List<Bytes> records = vector.listOfBytes("records");
    int level = (int) vector.number("level");
    return Map.of(
        "separators", separators.encode().hex(),
        "keysHash", separators.keysHash().hex(),
        "nodeHash", StateNode.hash(level, separators, TreeHasher.rootOverData(records)).hex());
  }

  private static Map<String, Object> root(Vector vector) {
    return Map.of("stateRoot", StateRoot.over(vector.listOfBytes("partitions")).digest().hex());
  }

  static Map<String, Object> lookup(Vector vector, SignedHead head)
      throws MalformedException, ProofRejectedException {
    LookupProof proof = LookupProof.decode(vector.bytes("proof"));
    return switch (proof.verify(vector.bytes("key"), head)) {
      case StateAnswer.Present(StateEntry entry) ->
          Map.of("answer", "present", "entry", entry.encode().hex());
      case StateAnswer.Deleted(StateEntry entry) ->
          Map.of("answer", "deleted", "entry", entry.encode().hex());
      case StateAnswer.Absent absent ->
          Map.of("answer", absent.neverWritten() ? "neverWritten" : "absent");
    };
  }

  static Map<String, Object> range(Vector vector, SignedHead head)
      throws MalformedException, ProofRejectedException {
    RangeOfState proof = RangeOfState.decode(vector.bytes("proof"));
    Optional<Bytes> to = vector.find("to").map(hex -> Bytes.fromHex((String) hex));
    Map<String, Object> results = new TreeMap<>();
    results.put(
        "entries",
        proof.verify(vector.bytes("from"), to, head).stream()
            .map(entry -> (Object) entry.encode().hex())
            .toList());
    proof.to().ifPresent(end -> results.put("to", end.hex()));
    return results;
  }

  private static Map<String, Object> value(Vector vector)
      throws MalformedException, ProofRejectedException {
    StateValue value = StateValue.decode(vector.bytes("value"));
    value.verify(StateEntry.decode(vector.bytes("entry")));
    return Map.of("value", value.value().hex());
  }
}
