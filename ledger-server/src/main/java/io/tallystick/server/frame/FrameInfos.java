package io.tallystick.server.frame;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Big-endian reads from an info section, or from the part of one that lies in `array`.
///
/// @param base index in `array` of the section's first byte; negative when only a later part is
///   there
@SuppressWarnings("ArrayRecordComponent") // a window, never compared; it stays in this package
record FrameInfos(byte[] array, int base) {
  private static final VarHandle U32 =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle U64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  int u32(int offset) {
    return (int) U32.get(array, base + offset);
  }

  long u64(int offset) {
    return (long) U64.get(array, base + offset);
  }

  Digest digest(int offset) {
    return Digest.of(array, base + offset);
  }

  StrandId strand(int offset) {
    return new StrandId(new LedgerId(digest(offset)), u32(offset + FrameLayout.BLOCK_STRAND));
  }
}
