package io.tallystick.audit.chunk;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.journal.KeyLookup;
import io.tallystick.model.Digest;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Every key seen so far, by its kid, so that signatures can be verified before it is known whether
/// their signer was a member. A kid is the hash of its key, so no entry can be wrong; one may be
/// missing, then the signature waits for the replay. Thread-safe.
public final class KeyDirectory implements KeyLookup {
  private final Map<Digest, PublicKey> keys = new ConcurrentHashMap<>();

  public void publish(PublicKey key) {
    keys.put(key.kid(), key);
  }

  /// The key that a change makes a member's, if it does.
  public void publishNew(Extension change) {
    if (change instanceof Extension.MemberAdd add) {
      publish(add.key());
    } else if (change instanceof Extension.Grant grant) {
      publish(grant.key());
    }
  }

  @Override
  public Optional<PublicKey> find(Digest kid) {
    return Optional.ofNullable(keys.get(kid));
  }
}
