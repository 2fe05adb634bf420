package io.tallystick.image;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A mapping of a manifest that must be understood whole: {@link #end} refuses what nobody asked
/// for, here and below.
final class Fields {
  private final String path;
  private final Map<String, Object> left = new LinkedHashMap<>();
  private final List<Fields> below = new ArrayList<>();

  Fields(String path, Object mapping) {
    this.path = path;
    if (!(mapping instanceof Map<?, ?> entries)) {
      throw new AssertionError(path + " is no mapping");
    }
    entries.forEach((name, value) -> left.put((String) name, value));
  }

  boolean has(String name) {
    return left.containsKey(name);
  }

  private Object take(String name) {
    if (!has(name)) {
      throw new AssertionError(path + "." + name + " is missing");
    }
    return Objects.requireNonNull(left.remove(name), name);
  }

  private <T> T take(String name, Class<T> type) {
    Object value = take(name);
    if (!type.isInstance(value)) {
      throw new AssertionError(path + "." + name + " is " + value);
    }
    return type.cast(value);
  }

  String text(String name) {
    return take(name, String.class);
  }

  int number(String name) {
    return take(name, Integer.class);
  }

  boolean flag(String name) {
    return take(name, Boolean.class);
  }

  /// False where it is not there.
  boolean flagIfAny(String name) {
    return has(name) && flag(name);
  }

  /// A scalar as it is written.
  String scalar(String name) {
    return take(name).toString();
  }

  /// Empty where there are none.
  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    for (Object each : has(name) ? take(name, List.class) : List.of()) {
      texts.add((String) each);
    }
    return texts;
  }

  Fields object(String name) {
    Fields object = new Fields(path + "." + name, take(name));
    below.add(object);
    return object;
  }

  /// Empty where there are none.
  List<Fields> objects(String name) {
    List<Fields> objects = new ArrayList<>();
    for (Object each : has(name) ? take(name, List.class) : List.of()) {
      objects.add(new Fields(path + "." + name + "[" + objects.size() + "]", each));
    }
    below.addAll(objects);
    return objects;
  }

  /// The same as a mapping of texts.
  Map<String, String> textsByName(String name) {
    Map<String, String> texts = new LinkedHashMap<>();
    ((Map<?, ?>) take(name, Map.class))
        .forEach((key, value) -> texts.put((String) key, (String) value));
    return texts;
  }

  /// The field is there and has this value: without it Kubernetes takes another.
  void must(String name, Object value) {
    if (!take(name).equals(value)) {
      throw new AssertionError(path + "." + name + " is not " + value);
    }
  }

  /// The field, if it is there, has only this value: another would need translation.
  void only(String name, Object value) {
    if (has(name) && !take(name).equals(value)) {
      throw new AssertionError(path + "." + name + " is not " + value);
    }
  }

  /// These, whatever is in them, change nothing of the container.
  void without(String... names) {
    for (String name : names) {
      left.remove(name);
    }
  }

  /// @throws AssertionError if there is a field that was not read
  void end() {
    if (!left.isEmpty()) {
      throw new AssertionError(path + " has what this test does not translate: " + left.keySet());
    }
    below.forEach(Fields::end);
  }
}
