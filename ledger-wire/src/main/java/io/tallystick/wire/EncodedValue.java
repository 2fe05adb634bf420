package io.tallystick.wire;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/// The form of what has canonical bytes of its own: those, decoded as strictly as from anywhere.
final class EncodedValue implements WireValue {
  private final String name;
  private final Method encode;
  private final Method decode;

  EncodedValue(Class<?> type) {
    this.name = type.getSimpleName();
    try {
      this.encode = type.getMethod("encode");
      this.decode = type.getMethod("decode", Bytes.class);
    } catch (NoSuchMethodException e) {
      throw new LinkageError(type.getName(), e);
    }
  }

  @Override
  public void write(Object value, WireWriter out) {
    try {
      PlainValue.BYTES.write(encode.invoke(value), out);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new LinkageError(name, e);
    }
  }

  @Override
  public Object read(WireReader in) throws MalformedException {
    try {
      return decode.invoke(null, PlainValue.BYTES.read(in));
    } catch (InvocationTargetException e) {
      throw new MalformedException(name + ": " + e.getCause(), e);
    } catch (IllegalAccessException e) {
      throw new LinkageError(name, e);
    }
  }

  @Override
  public String shape() {
    return "encoded " + name;
  }
}
