package io.tallystick.wire;

import io.tallystick.model.MalformedException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The form of a record: its components, in order, and nothing else.
final class RecordValue implements WireValue {
  private final Class<?> type;
  private final List<Part> parts;
  private final Constructor<?> constructor;

  /// A component.
  ///
  /// @param nullable whether it may be absent
  record Part(Method accessor, WireValue form, boolean nullable) {
    void write(Object value, WireWriter out) {
      Object part = of(value);
      if (nullable) {
        out.u8(part == null ? 0 : 1);
      }
      if (part != null) {
        form.write(part, out);
      } else if (!nullable) {
        throw new AssertionError(accessor + " is null");
      }
    }

    private @Nullable Object of(Object value) {
      try {
        return accessor.invoke(value);
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new LinkageError(accessor.toString(), e);
      }
    }

    @Nullable Object read(WireReader in) throws MalformedException {
      return nullable && !in.flag() ? null : form.read(in);
    }

    String shape() {
      return form.shape() + (nullable ? "?" : "");
    }
  }

  RecordValue(Class<?> type, List<Part> parts) {
    this.type = type;
    this.parts = List.copyOf(parts);
    try {
      this.constructor =
          type.getDeclaredConstructor(
              parts.stream().map(part -> part.accessor.getReturnType()).toArray(Class<?>[]::new));
    } catch (NoSuchMethodException e) {
      throw new LinkageError(type.getName(), e);
    }
  }

  Class<?> type() {
    return type;
  }

  @Override
  public void write(Object value, WireWriter out) {
    for (Part part : parts) {
      part.write(value, out);
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
        + parts.stream().map(Part::shape).collect(Collectors.joining(" ", "(", ")"));
  }
}
