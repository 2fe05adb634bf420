package io.tallystick.api;

import com.google.protobuf.ByteOutput;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The bytes of a field of a message as an array that never changes, mostly without a copy: a
/// parsed field has an array of its own, and protobuf hands it to whoever takes a value lazily.
public final class WireArray {
  private WireArray() {}

  /// The content of `value`; shared with it, so it must not be written to.
  public static byte[] of(ByteString value) {
    Taker taker = new Taker();
    try {
      UnsafeByteOperations.unsafeWriteTo(value, taker);
    } catch (IOException e) {
      throw new UncheckedIOException("no input or output takes place", e);
    }
    byte[] taken = taker.taken;
    return taken != null && taken.length == value.size() ? taken : value.toByteArray();
  }

  /// Takes an array that is lent whole and for good; of anything else nothing.
  private static final class Taker extends ByteOutput {
    private byte @Nullable [] taken;

    @Override
    public void writeLazy(byte[] value, int offset, int length) {
      if (offset == 0 && length == value.length) {
        taken = value;
      }
    }

    @Override
    public void write(byte value) {}

    @Override
    public void write(byte[] value, int offset, int length) {}

    @Override
    public void write(ByteBuffer value) {}

    @Override
    public void writeLazy(ByteBuffer value) {}
  }
}
