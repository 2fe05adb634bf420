package io.tallystick.server.host;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.BatchHasher;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Authority;
import io.tallystick.node.HostedNode;
import io.tallystick.node.LedgerNode;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/// A node on one local data directory, with everything it stands on: lock, files, meta store, keys.
public final class LocalNode implements HostedNode {
  static final String STREAM_DIRECTORY = "stream";
  static final String META_DIRECTORY = "meta";
  static final String KEYS_DIRECTORY = "keys";

  private final Deque<AutoCloseable> opened;
  private final ShardNode node;

  private LocalNode(Deque<AutoCloseable> opened, ShardNode node) {
    this.opened = opened;
    this.node = node;
  }

  /// The same on the machine's own disk and clock, with the default limits.
  public static LocalNode open(
      Path dataDirectory, Authority authority, Signatures signatures, MeterRegistry registry)
      throws IOException, ServiceKeysException, CorruptStreamException {
    return open(dataDirectory, authority, NodeSeams.production(), signatures, registry);
  }

  /// Opens or creates a data directory and recovers what is in it.
  ///
  /// @param authority for a new directory; an old one keeps its own
  /// @param seams `production()`, but in tests
  /// @throws IOException also when another process holds the directory
  /// @throws ServiceKeysException if the service's keys are missing or not its own
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static LocalNode open(
      Path dataDirectory,
      Authority authority,
      NodeSeams seams,
      Signatures signatures,
      MeterRegistry registry)
      throws IOException, ServiceKeysException, CorruptStreamException {
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    try {
      Disk disk = seams.disk().apply(LocalDisk.open(dataDirectory));
      opened.push(disk);
      RocksMetaStore meta = RocksMetaStore.open(dataDirectory.resolve(META_DIRECTORY));
      opened.push(meta);
      HeadSigner signer =
          new ServiceKeyStore(dataDirectory.resolve(KEYS_DIRECTORY), meta, signatures)
              .open(authority);
      LocalStreamStore streams =
          LocalStreamStore.open(disk, STREAM_DIRECTORY, StreamSettings.DEFAULT);
      opened.push(streams);
      ShardStorage storage = new ShardStorage(disk, meta, streams, new StreamId(0), seams.clock());
      ShardNode node = ShardNode.open(storage, seams.config(), BatchHasher.cpu(), signer, registry);
      opened.push(node);
      return new LocalNode(opened, node);
    } catch (IOException
        | ServiceKeysException
        | CorruptStreamException
        | RuntimeException
        | Error e) {
      closeAll(opened, e);
      throw e;
    }
  }

  /// Loads what {@link #open} will need of native code; may run beside other work before it.
  public static void loadLibraries() {
    RocksMetaStore.loadLibrary();
  }

  @Override
  public LedgerNode node() {
    return node;
  }

  private static void closeAll(Deque<AutoCloseable> opened, Throwable cause) {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        cause.addSuppressed(e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    IOException failure = new IOException("the data directory did not close cleanly");
    closeAll(opened, failure);
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
