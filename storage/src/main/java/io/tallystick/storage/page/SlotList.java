package io.tallystick.storage.page;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// Addresses of slots, ascending, each once. Stored as the differences from the one before, in
/// 7-bit groups, the lowest first, the high bit set on all but the last of a number. Immutable.
/// Source: `docs/formats/slots.md`.
public final class SlotList {
  public static final SlotList EMPTY = new SlotList(new long[0]);

  private static final int GROUP_BITS = 7;
  private static final int MORE = 0x80;

  private final long[] addresses;

  private SlotList(long[] addresses) {
    this.addresses = addresses;
  }

  /// @param addresses in any order, each once
  public static SlotList of(long[] addresses) {
    long[] sorted = addresses.clone();
    Arrays.sort(sorted);
    return new SlotList(sorted);
  }

  public long[] addresses() {
    return addresses.clone();
  }

  public boolean isEmpty() {
    return addresses.length == 0;
  }

  public boolean contains(long address) {
    return Arrays.binarySearch(addresses, address) >= 0;
  }

  int size() {
    return addresses.length;
  }

  /// Bytes of the slots.
  public long bytes(SlotSizes sizes) {
    long bytes = 0;
    for (long address : addresses) {
      bytes += sizes.bytesAt(address);
    }
    return bytes;
  }

  /// Those of both, which have none in common.
  public SlotList with(SlotList others) {
    if (others.isEmpty()) {
      return this;
    }
    long[] all = Arrays.copyOf(addresses, addresses.length + others.addresses.length);
    System.arraycopy(others.addresses, 0, all, addresses.length, others.addresses.length);
    return of(all);
  }

  /// Those that another list has, too.
  public SlotList in(SlotList others) {
    return select(others, true);
  }

  /// Those that another list has not.
  public SlotList without(SlotList others) {
    return select(others, false);
  }

  private SlotList select(SlotList others, boolean common) {
    long[] selected = new long[addresses.length];
    int count = 0;
    int other = 0;
    for (long address : addresses) {
      while (other < others.addresses.length && others.addresses[other] < address) {
        other++;
      }
      boolean found = other < others.addresses.length && others.addresses[other] == address;
      if (found == common) {
        selected[count++] = address;
      }
    }
    return new SlotList(Arrays.copyOf(selected, count));
  }

  public Bytes encode() {
    ByteArrayOutputStream out = new ByteArrayOutputStream(2 * addresses.length + 16);
    long before = 0;
    for (long address : addresses) {
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

  public static SlotList decode(Bytes row) throws MalformedException {
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
    return new SlotList(Arrays.copyOf(addresses, count));
  }
}
