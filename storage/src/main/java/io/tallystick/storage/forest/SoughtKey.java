package io.tallystick.storage.forest;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import org.jspecify.annotations.Nullable;

/// A key that is looked for, and its hash for filters, computed once. One thread's.
final class SoughtKey {
  private final Bytes key;
  private @Nullable Digest hash;

  SoughtKey(Bytes key) {
    this.key = key;
  }

  Bytes key() {
    return key;
  }

  Digest hash() {
    Digest known = hash;
    if (known == null) {
      known = Sha256.hash(key.unsafeArray());
      hash = known;
    }
    return known;
  }
}
