package io.tallystick.storage.page;

import io.tallystick.model.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Keys of a slot store's rows in the meta store: `"slots/" ‖ name ‖ 0` for the head, `… ‖ 1 ‖
/// class (1) ‖ row number (u32)` for a row of a free map, `… ‖ 2 ‖ version (u64)` for the slots
/// that a version did away with.
final class SlotKeys {
  private static final Bytes ALL = Bytes.utf8("slots/");

  private final byte[] stem;

  private SlotKeys(byte[] stem) {
    this.stem = stem;
  }

  static SlotKeys of(String name) {
    return new SlotKeys(("slots/" + name).getBytes(StandardCharsets.US_ASCII));
  }

  static boolean isRow(Bytes key) {
    return key.size() >= ALL.size() && key.slice(0, ALL.size()).equals(ALL);
  }

  private ByteBuffer key(int kind, int more) {
    return ByteBuffer.allocate(stem.length + 1 + more).put(stem).put((byte) kind);
  }

  Bytes head() {
    return Bytes.wrap(key(0, 0).array());
  }

  Bytes freeMap(int code, int row) {
    return Bytes.wrap(key(1, FREE_MAP_BYTES).put((byte) code).putInt(row).array());
  }

  /// The bytes that follow in the key of a row of a free map.
  static final int FREE_MAP_BYTES = 5;

  Bytes freeMaps() {
    return Bytes.wrap(key(1, 0).array());
  }

  Bytes freed(long version) {
    return Bytes.wrap(key(2, Long.BYTES).putLong(version).array());
  }

  Bytes freedOfAll() {
    return Bytes.wrap(key(2, 0).array());
  }
}
