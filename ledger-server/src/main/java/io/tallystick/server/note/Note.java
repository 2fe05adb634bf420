package io.tallystick.server.note;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A conditional write of a row of the meta store, as a frame records it. Whoever replays it
/// decides nothing: it follows from the frames before that the condition holds.
///
/// @param key of the row; its first byte names the table
/// @param value that the row gets; null: the row goes
/// @param before SHA-256 of the value that the row had; null: there was none
public record Note(Bytes key, @Nullable Bytes value, @Nullable Digest before) {
  /// Bytes of a key at most.
  public static final int KEY_BYTES_MAX = 128;

  /// Bytes of a value at most: a proposal with as many signatures as there may be fits.
  public static final int VALUE_BYTES_MAX = 96 << 10;

  /// The tables whose rows are written by notes: progress of erasures, anchors, snapshots,
  /// proposals, certificates, erasures that are done, images, read-only marks.
  private static final String TABLES = "bgnqxzIR";

  public Note {
    if (key.size() == 0 || key.size() > KEY_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "key of %d bytes, want 1 to %d", key.size(), KEY_BYTES_MAX));
    }
    if (TABLES.indexOf(key.unsafeArray()[0]) < 0) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "no table of notes: %02x", key.unsafeArray()[0]));
    }
    if (value != null && value.size() > VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "value of %d bytes, at most %d", value.size(), VALUE_BYTES_MAX));
    }
  }

  /// What stands for a row in a condition.
  static @Nullable Digest digestOf(@Nullable Bytes row) {
    return row == null ? null : Sha256.hash(row.unsafeArray());
  }
}
