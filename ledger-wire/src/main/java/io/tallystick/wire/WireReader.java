package io.tallystick.wire;

import io.tallystick.model.MalformedException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads what {@link WireWriter} wrote; whatever is not that is malformed. Not thread-safe.
final class WireReader {
  private final byte[] bytes;
  private int at;

  WireReader(byte[] bytes) {
    this.bytes = bytes;
  }

  int left() {
    return bytes.length - at;
  }

  private int take(int count) throws MalformedException {
    if (count < 0 || count > left()) {
      throw new MalformedException("cut at byte " + at + ": want " + count + " more");
    }
    int from = at;
    at += count;
    return from;
  }

  int u8() throws MalformedException {
    return bytes[take(1)] & 0xff;
  }

  int u32() throws MalformedException {
    return ByteBuffer.wrap(bytes, take(Integer.BYTES), Integer.BYTES).getInt();
  }

  long u64() throws MalformedException {
    return ByteBuffer.wrap(bytes, take(Long.BYTES), Long.BYTES).getLong();
  }

  byte[] raw(int count) throws MalformedException {
    int from = take(count);
    return Arrays.copyOfRange(bytes, from, from + count);
  }

  byte[] bytes() throws MalformedException {
    return raw(u32());
  }

  String text() throws MalformedException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes())).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedException("text that is no UTF-8", e);
    }
  }

  /// 0 or 1.
  boolean flag() throws MalformedException {
    int value = u8();
    if (value > 1) {
      throw new MalformedException("flag " + value);
    }
    return value == 1;
  }

  /// How many elements follow, of which each takes a byte at least.
  int count() throws MalformedException {
    int count = u32();
    if (count < 0 || count > left()) {
      throw new MalformedException(count + " elements in " + left() + " bytes");
    }
    return count;
  }

  void end() throws MalformedException {
    if (left() > 0) {
      throw new MalformedException(left() + " bytes behind the end");
    }
  }
}
