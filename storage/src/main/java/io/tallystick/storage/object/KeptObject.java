package io.tallystick.storage.object;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;

/// An object that is durable, as a row names it. Source: `docs/formats/savepoint.md`, "Objects".
///
/// @param name SHA-256 of its bytes
/// @param bytes how many, at least 1
/// @param place where its store has it; empty if the name says that
public record KeptObject(Digest name, long bytes, Bytes place) {
  /// Fields of a row that name an object.
  public static final int FIELDS = 3;

  private static final long BYTES_MAX = 1L << 40;
  private static final int PLACE_BYTES_MAX = 64 << 10;

  public KeptObject {
    if (bytes < 1) {
      throw new IllegalArgumentException("an object of " + bytes + " bytes");
    }
  }

  /// Writes {@link #FIELDS} fields: bytes, name, place.
  public void write(CborWriter out) {
    var _ = out.uint(bytes).bytes(name.toBytes()).bytes(place);
  }

  /// Reads what {@link #write} wrote.
  public static KeptObject read(CborReader in) throws MalformedException {
    long bytes = in.uint("object", BYTES_MAX);
    Digest name = in.digest();
    Bytes place = Bytes.wrap(in.bytes("place", PLACE_BYTES_MAX));
    if (bytes < 1) {
      throw new MalformedException("an object of no bytes");
    }
    return new KeptObject(name, bytes, place);
  }
}
