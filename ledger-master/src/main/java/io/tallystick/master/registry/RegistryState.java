package io.tallystick.master.registry;

import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;

/// Whether the registry names every ledger: the value at its path.
record RegistryState(boolean whole, long nonce) {
  private static final int FIELDS = 3;

  Bytes encode() {
    return SharedValue.end(SharedValue.begin(FIELDS).bool(whole), nonce);
  }

  static RegistryState decode(String path, Versioned there) throws CorruptStreamException {
    return SharedValue.decode(
        path,
        there,
        FIELDS,
        reader -> new RegistryState(reader.bool(), SharedValue.nonce(reader)));
  }
}
