package io.tallystick.storage.page;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// The slots that a version did away with: addresses, ascending, each as the difference from the
/// one before in 7-bit groups, the lowest first, the high bit set on all but the last of a number.
final class FreedSlots {
  private static final int GROUP_BITS = 7;
  private static final int MORE = 0x80;

  private FreedSlots() {}

  static Bytes encode(long[] addresses) {
    long[] sorted = addresses.clone();
    Arrays.sort(sorted);
    ByteArrayOutputStream out = new ByteArrayOutputStream(2 * sorted.length + 16);
    long before = 0;
    for (long address : sorted) {
      long rest = address - before;
      while (rest >= MORE) {
        out.write((int) (rest & (MORE - 1)) | MORE);
        rest >>>= GROUP_BITS;
      }
      out.write((int) rest);
      before = address;
    }
    return Bytes.wrap(out.toByteArray());
  }

  static long[] decode(Bytes row) throws MalformedException {
    byte[] bytes = row.unsafeArray();
    long[] addresses = new long[bytes.length];
    int count = 0;
    long before = 0;
    int at = 0;
    while (at < bytes.length) {
      long difference = 0;
      int shift = 0;
      int group;
      do {
        if (at == bytes.length || shift >= Long.SIZE - GROUP_BITS) {
          throw new MalformedException("address at byte " + at + " does not end");
        }
        group = bytes[at++];
        difference |= (long) (group & (MORE - 1)) << shift;
        shift += GROUP_BITS;
      } while ((group & MORE) != 0);
      if (difference == 0 && count > 0) {
        throw new MalformedException("address " + before + " is there twice");
      }
      if (difference > SlotSizes.ADDRESS_MAX - before) {
        throw new MalformedException("address beyond " + SlotSizes.ADDRESS_MAX);
      }
      before += difference;
      addresses[count++] = before;
    }
    return Arrays.copyOf(addresses, count);
  }
}
