package io.tallystick.server.frame;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/// The stored form of one erasable part: salt, body and a checksum that also covers where it
/// stands, so that a misdirected write is caught.
public final class PayloadItem {
  public static final int SALT_BYTES = 32;
  private static final VarHandle U32 =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle U64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private PayloadItem() {}

  /// Whether `item` (salt, body, checksum) is what was written at `offset` of frame `number`.
  public static boolean isIntact(byte[] item, long number, int offset) {
    return isIntact(item, 0, item.length, number, offset);
  }

  /// The same of the item at `[start, start + length)` of an array.
  public static boolean isIntact(byte[] array, int start, int length, long number, int offset) {
    int count = length - FrameLayout.PAYLOAD_CRC_BYTES;
    return count >= SALT_BYTES
        && (int) U32.get(array, start + count)
            == checksum(new CRC32C(), new byte[12], number, offset, array, start, count);
  }

  /// Bytes of salt and body in an item of that length.
  public static int contentBytes(int length) {
    return length - FrameLayout.PAYLOAD_CRC_BYTES;
  }

  /// The CRC32C that belongs at the end of `item`.
  public static int checksum(byte[] item, long number, int offset) {
    return checksum(
        new CRC32C(),
        new byte[12],
        number,
        offset,
        item,
        0,
        item.length - FrameLayout.PAYLOAD_CRC_BYTES);
  }

  static int checksum(
      CRC32C crc, byte[] prefix, long number, int offset, byte[] array, int start, int count) {
    U64.set(prefix, 0, number);
    U32.set(prefix, 8, offset);
    crc.reset();
    crc.update(prefix, 0, prefix.length);
    crc.update(array, start, count);
    return (int) crc.getValue();
  }
}
