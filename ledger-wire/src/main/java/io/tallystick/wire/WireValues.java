package io.tallystick.wire;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Makes the forms of types from their declarations: a record is its components in order, an enum a
/// number, a closed family the number of the variant and that, and what has canonical bytes of its
/// own is those. No type but these can cross, and what arrives chooses none: the receiver knows
/// what it wants. Not thread-safe.
final class WireValues {
  private final Map<Type, WireValue> made = new HashMap<>();

  /// @throws AssertionError if a type is of none of the sorts that cross
  WireValue of(Type type) {
    WireValue known = made.get(type);
    if (known == null) {
      known = make(type);
      made.put(type, known);
    }
    return known;
  }

  private WireValue make(Type type) {
    if (type instanceof ParameterizedType generic) {
      return ofGeneric(generic);
    }
    if (!(type instanceof Class<?> raw)) {
      throw new AssertionError("no wire form of " + type);
    }
    Optional<WireValue> plain = PlainValue.of(raw);
    if (plain.isPresent()) {
      return plain.get();
    }
    if (raw.isEnum()) {
      return new EnumValue(List.of(raw.getEnumConstants()), raw.getSimpleName());
    }
    if (raw.isSealed() && !hasOwnBytes(raw)) {
      List<RecordValue> variants = new ArrayList<>();
      for (Class<?> variant : variants(raw)) {
        variants.add((RecordValue) of(variant));
      }
      return new VariantValue(variants);
    }
    if (hasOwnBytes(raw)) {
      return new EncodedValue(raw);
    }
    if (raw.isRecord()) {
      return ofRecord(raw);
    }
    throw new AssertionError("no wire form of " + raw);
  }

  private static List<Class<?>> variants(Class<?> family) {
    List<Class<?>> all = new ArrayList<>();
    for (Class<?> each : family.getPermittedSubclasses()) {
      if (each.isSealed()) {
        all.addAll(variants(each));
      } else {
        all.add(each);
      }
    }
    return all;
  }

  private RecordValue ofRecord(Class<?> raw) {
    List<RecordValue.Part> parts = new ArrayList<>();
    for (var component : raw.getRecordComponents()) {
      AnnotatedType annotated = component.getAnnotatedType();
      parts.add(
          new RecordValue.Part(
              component.getAccessor(),
              of(component.getGenericType()),
              annotated.isAnnotationPresent(Nullable.class)));
    }
    return new RecordValue(raw, parts);
  }

  private WireValue ofGeneric(ParameterizedType type) {
    WireValue element = of(type.getActualTypeArguments()[0]);
    if (type.getRawType() == Optional.class) {
      return new OptionalValue(element);
    }
    if (type.getRawType() == List.class || type.getRawType() == Set.class) {
      return new ManyValue(element, type.getRawType() == Set.class);
    }
    throw new AssertionError("no wire form of " + type);
  }

  /// Whether the type is written by an `encode()` and read by a strict `decode(Bytes)`.
  private static boolean hasOwnBytes(Class<?> raw) {
    try {
      Method decode = raw.getMethod("decode", Bytes.class);
      return Modifier.isStatic(decode.getModifiers())
          && decode.getReturnType() == raw
          && raw.getMethod("encode").getReturnType() == Bytes.class;
    } catch (NoSuchMethodException _) {
      return false;
    }
  }

  private record OptionalValue(WireValue some) implements WireValue {
    @Override
    public void write(Object value, WireWriter out) {
      Optional<?> optional = (Optional<?>) value;
      out.u8(optional.isPresent() ? 1 : 0);
      optional.ifPresent(it -> some.write(it, out));
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      return in.flag() ? Optional.of(some.read(in)) : Optional.empty();
    }

    @Override
    public String shape() {
      return some.shape() + "?";
    }
  }

  private record ManyValue(WireValue one, boolean distinct) implements WireValue {
    @Override
    public void write(Object value, WireWriter out) {
      Iterable<?> all = (Iterable<?>) value;
      int count = 0;
      for (Object _ : all) {
        count++;
      }
      out.u32(count);
      for (Object each : all) {
        one.write(each, out);
      }
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      int count = in.count();
      List<Object> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        all.add(one.read(in));
      }
      if (!distinct) {
        return List.copyOf(all);
      }
      Set<Object> set = new LinkedHashSet<>(all);
      if (set.size() < count) {
        throw new MalformedException("an element twice in a set");
      }
      return set;
    }

    @Override
    public String shape() {
      return one.shape() + (distinct ? "{}" : "[]");
    }
  }

  /// By name: an order is changed by whoever adds one.
  private record EnumValue(List<Object> constants, String name) implements WireValue {
    @Override
    public void write(Object value, WireWriter out) {
      out.text(((Enum<?>) value).name());
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      String said = in.text();
      for (Object each : constants) {
        if (((Enum<?>) each).name().equals(said)) {
          return each;
        }
      }
      throw new MalformedException("no " + name + " of that name");
    }

    @Override
    public String shape() {
      return name;
    }
  }
}
