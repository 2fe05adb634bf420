package io.tallystick.master.coordinated;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// What the encodings of all shared values have in common: an array that begins with the format and
/// ends with a nonce, by which a writer whose answer was lost knows its value again. Source:
/// `docs/formats/replicated.md`.
public final class SharedValue {
  /// Of all values so far.
  private static final int FORMAT = 1;

  private SharedValue() {}

  /// Reads the fields between format and nonce, and then the nonce.
  @FunctionalInterface
  public interface Fields<T> {
    T read(CborReader reader) throws MalformedException;
  }

  /// An array whose format is written.
  ///
  /// @param fields in all, format and nonce included
  public static CborWriter begin(int fields) {
    return new CborWriter().array(fields).uint(FORMAT);
  }

  /// Writes the last field.
  public static Bytes end(CborWriter writer, long nonce) {
    return writer.bytes(ByteBuffer.allocate(Long.BYTES).putLong(0, nonce).array()).toBytes();
  }

  /// A value that says nothing but that it was written.
  public static Bytes ofNonce(long nonce) {
    return end(begin(2), nonce);
  }

  /// @param fields in all, format and nonce included
  /// @throws CorruptStreamException if the value has another form or a format that this software
  ///   does not know
  public static <T> T decode(String path, Versioned there, int fields, Fields<T> reading)
      throws CorruptStreamException {
    try {
      CborReader reader = new CborReader(there.value());
      reader.array("fields", fields);
      long format = reader.uint();
      if (format != FORMAT) {
        throw new MalformedException(
            String.format(
                Locale.ROOT, "format %d is unknown; this software reads %d", format, FORMAT));
      }
      T value = reading.read(reader);
      reader.end();
      return value;
    } catch (MalformedException e) {
      throw new CorruptStreamException(path, 0, String.valueOf(e.getMessage()), e);
    }
  }

  public static long nonce(CborReader reader) throws MalformedException {
    byte[] nonce = reader.bytes("nonce", Long.BYTES);
    if (nonce.length != Long.BYTES) {
      throw new MalformedException(
          String.format(Locale.ROOT, "nonce of %d bytes, want %d", nonce.length, Long.BYTES));
    }
    return ByteBuffer.wrap(nonce).getLong();
  }
}
