package io.tallystick.server.host;

import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Authority;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.NodeFolders;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.InstantSource;

/// A data directory that no service has open, for work on what it holds.
final class StoppedDirectory {
  private StoppedDirectory() {}

  interface Work<T> {
    T on(ShardStorage storage, BatchHasher hasher, HeadSigner signer)
        throws IOException, CorruptStreamException, RequestRejectedException;
  }

  /// @throws IOException also when a service holds the directory, or it is none
  /// @throws ServiceKeysException if the service's keys are missing or not its own
  static <T> T run(NodeFolders folders, Signatures signatures, BatchHasher hasher, Work<T> work)
      throws IOException, ServiceKeysException, CorruptStreamException, RequestRejectedException {
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
      return work.on(parts.storage(InstantSource.system()), parts.hasher(), signer);
    }
  }
}
