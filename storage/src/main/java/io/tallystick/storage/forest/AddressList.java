package io.tallystick.storage.forest;

import java.util.Arrays;

/// Addresses in the order in which they came. For the owner.
final class AddressList {
  private long[] addresses = new long[16];
  private int count;

  void add(long address) {
    if (count == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * count);
    }
    addresses[count++] = address;
  }

  long[] values() {
    return Arrays.copyOf(addresses, count);
  }

  /// Makes the list empty.
  long[] drain() {
    long[] all = values();
    count = 0;
    return all;
  }
}
