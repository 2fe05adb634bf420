package io.tallystick.gpu.ptx;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The registers and variables between two braces, and those around them.
final class Scope {
  private final @Nullable Scope outer;
  private final Map<String, Operand.Value> names = new HashMap<>();

  Scope(@Nullable Scope outer) {
    this.outer = outer;
  }

  @Nullable Scope outer() {
    return outer;
  }

  /// @return false when this scope has the name already
  boolean declare(String name, Operand.Value value) {
    return names.putIfAbsent(name, value) == null;
  }

  Optional<Operand.Value> find(String name) {
    for (Scope scope = this; scope != null; scope = scope.outer) {
      Operand.Value value = scope.names.get(name);
      if (value != null) {
        return Optional.of(value);
      }
    }
    return Optional.empty();
  }
}
