package io.tallystick.storage.framing;

import io.tallystick.model.Digest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// A growing byte section of a frame; big-endian. Offsets are counted from the section's first
/// byte.
public final class SectionBuffer {
  private static final int INITIAL_BYTES = 64 * 1024;
  private static final VarHandle U32 =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle U64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final int base;
  private byte[] bytes;
  private int position;

  SectionBuffer(int base) {
    this.base = base;
    this.bytes = new byte[base];
    this.position = base;
  }

  void reset() {
    position = base;
  }

  public int length() {
    return position - base;
  }

  public SectionBuffer u32(int value) {
    ensure(Integer.BYTES);
    U32.set(bytes, position, value);
    position += Integer.BYTES;
    return this;
  }

  public SectionBuffer u64(long value) {
    ensure(Long.BYTES);
    U64.set(bytes, position, value);
    position += Long.BYTES;
    return this;
  }

  public SectionBuffer put(byte[] from, int offset, int count) {
    ensure(count);
    System.arraycopy(from, offset, bytes, position, count);
    position += count;
    return this;
  }

  public SectionBuffer put(byte[] from) {
    return put(from, 0, from.length);
  }

  public SectionBuffer digest(Digest digest) {
    ensure(Digest.BYTES);
    digest.copyInto(bytes, position);
    position += Digest.BYTES;
    return this;
  }

  /// Overwrites an earlier u32.
  public void setU32(int offset, int value) {
    U32.set(bytes, base + offset, value);
  }

  /// Leaves `count` zero bytes to be filled later.
  public SectionBuffer skip(int count) {
    ensure(count);
    Arrays.fill(bytes, position, position + count, (byte) 0);
    position += count;
    return this;
  }

  /// Drops everything from `offset` on.
  public void cut(int offset) {
    position = base + offset;
  }

  /// The live array; byte `offset` of the section is at {@link #arrayBase} + `offset`.
  public byte[] array() {
    return bytes;
  }

  public int arrayBase() {
    return base;
  }

  private void ensure(int count) {
    int needed = Math.addExact(position, count);
    if (needed > bytes.length) {
      int more = Math.max(INITIAL_BYTES, 2 * bytes.length);
      bytes = Arrays.copyOf(bytes, Math.max(needed, more));
    }
  }
}
