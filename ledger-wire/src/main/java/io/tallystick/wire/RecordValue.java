package io.tallystick.wire;

import io.tallystick.model.MalformedException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The form of a record: its components, in order, and nothing else.
final class RecordValue implements WireValue {
  private final Class<?> type;
  private final List<WireValue> parts;
  private final List<Method> accessors;
  private final Constructor<?> constructor;

  RecordValue(Class<?> type, List<WireValue> parts) {
    this.type = type;
    this.parts = List.copyOf(parts);
    RecordComponent[] components = type.getRecordComponents();
    this.accessors = Arrays.stream(components).map(RecordComponent::getAccessor).toList();
    try {
      this.constructor =
          type.getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
    } catch (NoSuchMethodException e) {
      throw new LinkageError(type.getName(), e);
    }
  }

  Class<?> type() {
    return type;
  }

  @Override
  public void write(Object value, WireWriter out) {
    for (int i = 0; i < parts.size(); i++) {
      parts.get(i).write(part(value, accessors.get(i)), out);
    }
  }

  private static Object part(Object value, Method accessor) {
    try {
      return accessor.invoke(value);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new LinkageError(accessor.toString(), e);
    }
  }

  @Override
  public Object read(WireReader in) throws MalformedException {
    @Nullable Object[] values = new Object[parts.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = parts.get(i).read(in);
    }
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      // A record refuses what it cannot hold; what it holds here, somebody else sent.
      throw new MalformedException(type.getSimpleName() + ": " + e.getCause(), e);
    } catch (InstantiationException | IllegalAccessException e) {
      throw new LinkageError(type.getName(), e);
    }
  }

  @Override
  public String shape() {
    return type.getSimpleName()
        + parts.stream().map(WireValue::shape).collect(Collectors.joining(" ", "(", ")"));
  }
}
