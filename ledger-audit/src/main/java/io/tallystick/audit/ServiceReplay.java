package io.tallystick.audit;

import io.tallystick.crypto.PublicKey;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.GenesisParams;

/// The service's keys at the point the replay has reached, and all it ever had. Not thread-safe.
final class ServiceReplay {
  private ServiceKeys keys;

  ServiceReplay(GenesisParams genesis) {
    keys = new ServiceKeys(genesis.authority(), genesis.noteKey(), genesis.receiptKey());
  }

  /// The one that signs the service's own requests.
  PublicKey receiptKey() {
    return keys.receiptKey();
  }

  /// Whether this key is or was one of the service's.
  boolean everHeld(PublicKey key) {
    return keys.everHeld(key);
  }
}
