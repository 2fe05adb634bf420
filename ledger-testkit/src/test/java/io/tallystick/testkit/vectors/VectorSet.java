package io.tallystick.testkit.vectors;

import io.tallystick.testkit.vectors.Outcome.Accepted;
import io.tallystick.testkit.vectors.Outcome.Refused;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/// Collects vectors and says at once if a verifier disagrees with what a vector is meant to show.
final class VectorSet {
  private final VectorRunner runner;
  private final List<Vector> vectors = new ArrayList<>();

  VectorSet(VectorRunner runner) {
    this.runner = runner;
  }

  List<Vector> vectors() {
    return List.copyOf(vectors);
  }

  /// A vector that must be accepted; what comes of it is written down.
  void accept(VectorCase made) {
    Map<String, Object> fields = new LinkedHashMap<>(made.fields());
    fields.put("wantErr", false);
    Vector vector = new Vector(made.name(), fields);
    if (!(runner.run(vector) instanceof Accepted accepted)) {
      throw new AssertionError(made.name() + " is refused: " + runner.run(vector));
    }
    fields.put("want", accepted.results());
    vectors.add(new Vector(made.name(), fields));
  }

  void refuse(String code, VectorCase made) {
    refuse(code, OptionalInt.empty(), made);
  }

  /// A vector that must be refused, naming which request of the batch.
  void refuseAt(int index, String code, VectorCase made) {
    refuse(code, OptionalInt.of(index), made);
  }

  private void refuse(String code, OptionalInt index, VectorCase made) {
    Map<String, Object> fields = new LinkedHashMap<>(made.fields());
    fields.put("wantErr", true);
    fields.put("wantCode", code);
    index.ifPresent(i -> fields.put("wantIndex", (long) i));
    Vector vector = new Vector(made.name(), fields);
    Outcome outcome = runner.run(vector);
    if (!(outcome instanceof Refused refused)
        || !refused.code().equals(code)
        || !refused.index().equals(index)) {
      throw new AssertionError(made.name() + " must be refused as " + code + " but: " + outcome);
    }
    vectors.add(vector);
  }
}
