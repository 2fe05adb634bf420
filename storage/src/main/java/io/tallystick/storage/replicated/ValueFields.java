package io.tallystick.storage.replicated;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.MalformedException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// Fields that all stored values have in common: their format, and a nonce by which a writer whose
/// answer was lost knows its own value again.
final class ValueFields {
  private ValueFields() {}

  static CborWriter write(CborWriter writer, long nonce) {
    return writer.bytes(ByteBuffer.allocate(Long.BYTES).putLong(0, nonce).array());
  }

  static long read(CborReader reader) throws MalformedException {
    byte[] nonce = reader.bytes("nonce", Long.BYTES);
    if (nonce.length != Long.BYTES) {
      throw new MalformedException(
          String.format(Locale.ROOT, "nonce of %d bytes, want %d", nonce.length, Long.BYTES));
    }
    return ByteBuffer.wrap(nonce).getLong();
  }

  /// Begins to read a value: an array whose first item is its format.
  ///
  /// @param fields how many items it has in the format that is known
  static void begin(CborReader reader, String name, int fields, int known)
      throws MalformedException {
    int _ = begin(reader, name, fields, known, known);
  }

  /// The same for a value that has as many items in each of several formats.
  ///
  /// @param highest format that is known
  /// @return the format
  static int begin(CborReader reader, String name, int fields, int lowest, int highest)
      throws MalformedException {
    int there = reader.array();
    long format = reader.uint();
    if (format < lowest || format > highest) {
      throw new MalformedException(
          String.format(
              Locale.ROOT,
              "%s: format %d is unknown; this software reads %d",
              name,
              format,
              highest));
    }
    if (there != fields) {
      throw new MalformedException(
          String.format(Locale.ROOT, "%s of %d items, want %d", name, there, fields));
    }
    return (int) format;
  }
}
