package io.tallystick.journal;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Digest;
import java.util.Optional;

/// The keys a signature may be judged by: those of one ledger's members at one jsn, and the
/// service's receipt key where its own requests are expected.
@FunctionalInterface
public interface KeyLookup {
  /// A member's key; never a service's.
  Optional<PublicKey> find(Digest kid);

  /// The service's receipt key at that jsn. Without it no request of the service's own (kinds 19
  /// and 20) is attested.
  default Optional<PublicKey> receiptKey() {
    return Optional.empty();
  }

  /// The same members, and the service's receipt key.
  default KeyLookup withReceiptKey(PublicKey key) {
    KeyLookup members = this;
    return new KeyLookup() {
      @Override
      public Optional<PublicKey> find(Digest kid) {
        return members.find(kid);
      }

      @Override
      public Optional<PublicKey> receiptKey() {
        return Optional.of(key);
      }
    };
  }
}
