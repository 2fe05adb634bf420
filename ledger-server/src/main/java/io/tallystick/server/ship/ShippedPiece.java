package io.tallystick.server.ship;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/// A piece of a file as it stands in a {@link SavepointStore}.
///
/// @param name SHA-256 of its bytes
/// @param part that it was put into
/// @param at where in the part; each kind of store has its own places
public record ShippedPiece(Digest name, int bytes, Bytes part, long at) {
  /// Of all but the last piece of a file.
  public static final int BYTES = 16 << 20;

  /// The name of some bytes, which stay to be read.
  static Digest nameOf(ByteBuffer bytes) {
    MessageDigest sha256 = Sha256.newDigest();
    sha256.update(bytes.duplicate());
    return Digest.of(sha256.digest());
  }
}
