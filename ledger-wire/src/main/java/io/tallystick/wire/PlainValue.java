package io.tallystick.wire;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// The types that are not made of others.
enum PlainValue implements WireValue {
  LONG {
    @Override
    public void write(Object value, WireWriter out) {
      out.u64((Long) value);
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      return in.u64();
    }
  },
  INT {
    @Override
    public void write(Object value, WireWriter out) {
      out.u32((Integer) value);
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      return in.u32();
    }
  },
  FLAG {
    @Override
    public void write(Object value, WireWriter out) {
      out.u8((Boolean) value ? 1 : 0);
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      return in.flag();
    }
  },
  TEXT {
    @Override
    public void write(Object value, WireWriter out) {
      out.text((String) value);
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      return in.text();
    }
  },
  BYTES {
    @Override
    public void write(Object value, WireWriter out) {
      out.bytes(((Bytes) value).unsafeArray());
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      return Bytes.wrap(in.bytes());
    }
  },
  DIGEST {
    @Override
    public void write(Object value, WireWriter out) {
      out.raw(((Digest) value).toArray());
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      return Digest.of(in.raw(Digest.BYTES));
    }
  },
  MAYBE_LONG {
    @Override
    public void write(Object value, WireWriter out) {
      OptionalLong optional = (OptionalLong) value;
      out.u8(optional.isPresent() ? 1 : 0);
      optional.ifPresent(out::u64);
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      return in.flag() ? OptionalLong.of(in.u64()) : OptionalLong.empty();
    }
  },
  MAYBE_INT {
    @Override
    public void write(Object value, WireWriter out) {
      OptionalInt optional = (OptionalInt) value;
      out.u8(optional.isPresent() ? 1 : 0);
      optional.ifPresent(out::u32);
    }

    @Override
    public Object read(WireReader in) throws MalformedException {
      return in.flag() ? OptionalInt.of(in.u32()) : OptionalInt.empty();
    }
  };

  static Optional<WireValue> of(Class<?> type) {
    if (type == long.class || type == Long.class) {
      return Optional.of(LONG);
    }
    if (type == int.class || type == Integer.class) {
      return Optional.of(INT);
    }
    if (type == boolean.class || type == Boolean.class) {
      return Optional.of(FLAG);
    }
    if (type == String.class) {
      return Optional.of(TEXT);
    }
    if (type == Bytes.class) {
      return Optional.of(BYTES);
    }
    if (type == Digest.class) {
      return Optional.of(DIGEST);
    }
    if (type == OptionalLong.class) {
      return Optional.of(MAYBE_LONG);
    }
    return type == OptionalInt.class ? Optional.of(MAYBE_INT) : Optional.empty();
  }

  @Override
  public String shape() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
