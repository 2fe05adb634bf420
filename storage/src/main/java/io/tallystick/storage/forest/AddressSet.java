package io.tallystick.storage.forest;

import io.tallystick.storage.page.SlotList;
import io.tallystick.storage.page.SlotSizes;
import java.util.Arrays;
import java.util.BitSet;

/// Addresses of slots, a bit for each slot of the files. For the owner.
final class AddressSet {
  private final BitSet[] numbers = new BitSet[SlotSizes.COUNT];

  AddressSet() {
    Arrays.setAll(numbers, _ -> new BitSet());
  }

  void addAll(SlotList slots) {
    for (long address : slots.addresses()) {
      numbers[SlotSizes.code(address)].set(Math.toIntExact(SlotSizes.number(address)));
    }
  }

  /// Whether an address was there, which it is not any more.
  boolean remove(long address) {
    BitSet ofCode = numbers[SlotSizes.code(address)];
    int number = Math.toIntExact(SlotSizes.number(address));
    boolean there = ofCode.get(number);
    ofCode.clear(number);
    return there;
  }

  /// Makes the set empty.
  SlotList drain() {
    AddressList all = new AddressList();
    for (int code = 0; code < numbers.length; code++) {
      int of = code;
      numbers[code].stream().forEach(number -> all.add(SlotSizes.address(of, number)));
      numbers[code].clear();
    }
    return SlotList.of(all.values());
  }
}
