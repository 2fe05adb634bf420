package io.tallystick.storage.forest;

import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import java.nio.ByteBuffer;

/// Keys of the rows of a strand's saved versions: the strand's key, a kind, and the height but for
/// list and limits. Source: `docs/formats/state-pages.md`, "Saved versions".
final class SavedKeys {
  private static final byte LIST = 0;
  private static final byte VERSION = 1;
  private static final byte TAKEN = 2;
  private static final byte GIVEN_UP = 3;
  private static final byte LIMITS = 4;

  private SavedKeys() {}

  static Bytes list(StrandId strand) {
    return key(strand, LIST);
  }

  /// Of the strand's own limits.
  static Bytes limits(StrandId strand) {
    return key(strand, LIMITS);
  }

  private static Bytes key(StrandId strand, byte kind) {
    Bytes head = ForestHead.key(strand);
    ByteBuffer key = ByteBuffer.allocate(head.size() + 1);
    return Bytes.wrap(key.put(head.unsafeArray()).put(kind).array());
  }

  /// Whether a row outlives the state: a list says which versions a rebuild makes again, and limits
  /// are the operator's.
  static boolean outlivesState(Bytes key) {
    if (!ForestHead.isRow(key) || key.size() != ForestHead.KEY_BYTES + 1) {
      return false;
    }
    byte kind = key.unsafeArray()[ForestHead.KEY_BYTES];
    return kind == LIST || kind == LIMITS;
  }

  /// Of a version that is not the newest.
  static Bytes version(StrandId strand, long height) {
    return key(strand, VERSION, height);
  }

  static Bytes taken(StrandId strand, long height) {
    return key(strand, TAKEN, height);
  }

  static Bytes givenUp(StrandId strand, long height) {
    return key(strand, GIVEN_UP, height);
  }

  private static Bytes key(StrandId strand, byte kind, long height) {
    Bytes head = ForestHead.key(strand);
    ByteBuffer key = ByteBuffer.allocate(head.size() + 1 + Long.BYTES);
    return Bytes.wrap(key.put(head.unsafeArray()).put(kind).putLong(height).array());
  }
}
