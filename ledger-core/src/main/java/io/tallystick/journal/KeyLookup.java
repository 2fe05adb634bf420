package io.tallystick.journal;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Digest;
import java.util.Optional;

/// The members' keys a signature may be judged by: those of one ledger at one jsn.
@FunctionalInterface
public interface KeyLookup {
  Optional<PublicKey> find(Digest kid);
}
