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
import io.tallystick.state.LookupFile;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import io.tallystick.state.RangeFile;
import io.tallystick.state.RangeOfState;
import io.tallystick.state.StateFile;
import io.tallystick.state.StateValue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

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
    return answer(proof.verify(vector.bytes("key"), head));
  }

  private static Map<String, Object> answer(StateAnswer answer) {
    return switch (answer) {
      case StateAnswer.Present(StateEntry entry) ->
          Map.of("answer", "present", "entry", entry.encode().hex());
      case StateAnswer.Deleted(StateEntry entry) ->
          Map.of("answer", "deleted", "entry", entry.encode().hex());
      case StateAnswer.Absent absent ->
          Map.of("answer", absent.neverWritten() ? "neverWritten" : "absent");
    };
  }

  static Map<String, Object> lookups(Vector vector, SignedHead head)
      throws MalformedException, ProofRejectedException {
    LookupsProof proof = LookupsProof.decode(vector.bytes("proof"));
    return answers(proof.verify(vector.listOfBytes("keys"), head));
  }

  /// An entry is in hex, or `-` where there is none.
  private static Map<String, Object> answers(List<StateAnswer> answers) {
    List<Map<String, Object>> each = answers.stream().map(ForestVectorRunner::answer).toList();
    Map<String, Object> results = new TreeMap<>();
    results.put("answers", each.stream().map(one -> one.get("answer")).toList());
    results.put("entries", each.stream().map(one -> one.getOrDefault("entry", "-")).toList());
    return results;
  }

  static Map<String, Object> file(LookupFile.Verified file) {
    List<LookupFile.Item> items = file.items();
    Map<String, Object> results =
        new TreeMap<>(answers(items.stream().map(LookupFile.Item::answer).toList()));
    results.put("keys", items.stream().map(item -> item.answer().key().hex()).toList());
    results.put("height", file.height());
    results.put("size", file.head().size().value());
    results.put(
        "values", items.stream().map(item -> item.value().map(Bytes::hex).orElse("-")).toList());
    return results;
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

  static Map<String, Object> file(StateFile.Verified file) {
    Map<String, Object> results = new TreeMap<>(answer(file.answer()));
    results.put("key", file.answer().key().hex());
    results.put("height", file.height());
    results.put("size", file.head().size().value());
    file.value().ifPresent(value -> results.put("value", value.hex()));
    return results;
  }

  /// The value of a key is in hex, or `-` if it is not shown.
  static Map<String, Object> file(RangeFile.Verified file) {
    Map<String, Object> results = new TreeMap<>();
    results.put("from", file.from().hex());
    file.to().ifPresent(to -> results.put("to", to.hex()));
    results.put("height", file.height());
    results.put("size", file.head().size().value());
    results.put("entries", strings(file, item -> item.entry().encode().hex()));
    results.put("values", strings(file, item -> item.value().map(Bytes::hex).orElse("-")));
    return results;
  }

  private static List<Object> strings(
      RangeFile.Verified file, Function<RangeFile.Item, String> text) {
    return file.items().stream().map(item -> (Object) text.apply(item)).toList();
  }

  private static Map<String, Object> value(Vector vector)
      throws MalformedException, ProofRejectedException {
    StateValue value = StateValue.decode(vector.bytes("value"));
    value.verify(StateEntry.decode(vector.bytes("entry")));
    return Map.of("value", value.value().hex());
  }
}
