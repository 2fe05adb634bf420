package io.tallystick.cluster;

import io.tallystick.crypto.Signatures;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.keys.ServicePair;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The kids of service keys, by which a cluster names them.
public final class ServiceKids {
  private ServiceKids() {}

  /// Those of all pairs in a folder, the first one first.
  ///
  /// @throws ServiceKeysException if keys are missing, unreadable or open to others
  public static List<KeyPairKids> of(Path keys, Signatures signatures)
      throws IOException, ServiceKeysException {
    return ServiceKeyStore.loadGivenPairs(keys, signatures).stream().map(ServiceKids::of).toList();
  }

  public static KeyPairKids of(ServicePair pair) {
    return new KeyPairKids(pair.noteKey().publicKey().kid(), pair.receiptKey().publicKey().kid());
  }
}
