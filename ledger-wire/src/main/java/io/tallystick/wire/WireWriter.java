package io.tallystick.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The growing bytes of one message, numbers big-endian. Not thread-safe.
final class WireWriter {
  private static final int FIRST_BYTES = 256;

  private byte[] bytes = new byte[FIRST_BYTES];
  private int size;

  void u8(int value) {
    room(1);
    bytes[size++] = (byte) value;
  }

  void u32(int value) {
    room(Integer.BYTES);
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes[size++] = (byte) (value >>> shift);
    }
  }

  void u64(long value) {
    room(Long.BYTES);
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes[size++] = (byte) (value >>> shift);
    }
  }

  /// Without their length.
  void raw(byte[] value) {
    room(value.length);
    System.arraycopy(value, 0, bytes, size, value.length);
    size += value.length;
  }

  /// Behind their length.
  void bytes(byte[] value) {
    u32(value.length);
    raw(value);
  }

  void text(String value) {
    bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), bytes.length * 2));
    }
  }

  byte[] toArray() {
    return Arrays.copyOf(bytes, size);
  }
}
