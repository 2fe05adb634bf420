package io.tallystick.server.keys;

import io.tallystick.crypto.PublicKey;
import java.io.IOException;

/// A key of the service that is not here yet and could not be read when it was wanted: to be asked
/// for again.
public final class KeyNotReadException extends IOException {
  private static final long serialVersionUID = 1;

  KeyNotReadException(PublicKey key, IOException cause) {
    super("key " + key.kid() + " of the service cannot be read now: " + cause.getMessage(), cause);
  }
}
