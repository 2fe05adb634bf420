package io.tallystick.cluster.health;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// How the parts of a process are. The process is ready when all of them are.
public record ProcessHealth(List<Part> parts) {
  private static final String UP = "UP";
  private static final String OUT = "OUT_OF_SERVICE";

  public ProcessHealth {
    parts = List.copyOf(parts);
  }

  /// One part of a process.
  ///
  /// @param details numbers, truth values, text, and maps and lists of them
  public record Part(String name, boolean ready, Map<String, Object> details) {
    /// A part without details.
    public static Part of(String name, boolean ready) {
      return new Part(name, ready, Map.of());
    }

    Map<String, Object> shown() {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("status", ready ? UP : OUT);
      if (!details.isEmpty()) {
        shown.put("details", details);
      }
      return shown;
    }
  }

  /// Of a process whose one part so far is itself.
  ///
  /// @param why in plain words
  static ProcessHealth notYet(String why) {
    return new ProcessHealth(List.of(new Part("process", false, Map.of("why", why))));
  }

  public boolean ready() {
    return parts.stream().allMatch(Part::ready);
  }

  /// As probes read it: the form is that of `tally up`.
  Map<String, Object> shown() {
    Map<String, Object> components = new LinkedHashMap<>();
    parts.forEach(part -> components.put(part.name(), part.shown()));
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("status", ready() ? UP : OUT);
    shown.put("components", components);
    return shown;
  }

  /// The same with further parts.
  ProcessHealth with(Part... further) {
    List<Part> all = new ArrayList<>(parts);
    Stream.of(further).forEach(all::add);
    return new ProcessHealth(all);
  }
}
