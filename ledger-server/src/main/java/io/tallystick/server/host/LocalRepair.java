package io.tallystick.server.host;

import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.Authority;
import io.tallystick.model.LedgerId;
import io.tallystick.node.NodeFolders;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.shard.IndexRepair;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.InstantSource;
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
    Path dataDirectory = folders.data();
    Path rows = dataDirectory.resolve(NodeParts.META_DIRECTORY);
    if (!Files.isDirectory(rows)) {
      throw Files.exists(rows)
          ? new NotDirectoryException(rows.toString())
          : new NoSuchFileException(rows.toString());
    }
    LocalNode.loadLibraries(dataDirectory);
    try (NodeParts parts = NodeParts.local(dataDirectory, hasher)) {
      if (parts.meta().get(SavepointRow.KEY) == null) {
        throw new IOException(
            dataDirectory + " holds no ledgers: no savepoint was ever taken there");
      }
      HeadSigner signer =
          new HeadSigner(
              LocalNode.keyStore(folders, parts.meta(), signatures)
                  .open(new Authority("localhost")));
      return new IndexRepair(
              parts.storage(InstantSource.system()), parts.hasher(), signer, feature, watch)
          .run(only);
    }
  }
}
