package io.tallystick.server.host;

import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.NodeFolders;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.shard.IndexRepair;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Repairs a data directory that no service has open.
public final class LocalRepair {
  private LocalRepair() {}

  /// Fills an index again, see {@link IndexRepair#run}.
  ///
  /// @param only null for all ledgers
  /// @throws IOException also when a service holds the directory, or it is none
  /// @throws ServiceKeysException if the service's keys are missing or not its own
  /// @throws CorruptStreamException if the journals do not make what was sealed
  public static int index(
      Feature feature,
      NodeFolders folders,
      @Nullable LedgerId only,
      Signatures signatures,
      BatchHasher hasher,
      IndexRebuild.Watch watch)
      throws IOException, ServiceKeysException, CorruptStreamException {
    try {
      return StoppedDirectory.run(
          folders,
          signatures,
          hasher,
          (storage, hashing, signer) ->
              new IndexRepair(storage, hashing, signer, feature, watch).run(only));
    } catch (RequestRejectedException e) {
      throw new AssertionError("nothing is refused", e);
    }
  }
}
