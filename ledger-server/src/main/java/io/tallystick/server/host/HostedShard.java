package io.tallystick.server.host;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Authority;
import io.tallystick.node.LedgerNode;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.disk.WatchedDisk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.meta.WatchedMetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/// One shard of a cluster, which this process claims and serves: its stream is shared, its indexes
/// are in a folder of its own. What the folder holds can be made again from the stream.
public final class HostedShard implements AutoCloseable {
  private final Deque<AutoCloseable> opened;
  private final ShardNode node;

  private HostedShard(Deque<AutoCloseable> opened, ShardNode node) {
    this.opened = opened;
    this.node = node;
  }

  /// What all shards of a server have in common.
  ///
  /// @param keys folder of the service's keys, given and never written
  /// @param authority of the cluster
  /// @param streams makes a store for one opening of a shard, closed with it
  /// @param meters of the shard with a number
  public record Common(
      Path keys,
      Authority authority,
      Supplier<StreamStore> streams,
      ShardConfig config,
      BatchHasher hasher,
      Signatures signatures,
      IntFunction<MeterRegistry> meters) {}

  /// Claims the shard over whoever owns it, and recovers it.
  ///
  /// @param folder of its indexes, made if there is none
  /// @throws IOException also if another process holds the folder, or another server claims the
  ///   shard at the same time
  /// @throws ServiceKeysException if the keys are missing, or others than those of before
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static HostedShard open(
      Path folder, StreamId shard, SharedOwnership ownership, Common common)
      throws IOException, ServiceKeysException, CorruptStreamException {
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    try {
      Files.createDirectories(folder);
      WatchedDisk disk = new WatchedDisk(LocalDisk.open(folder));
      opened.push(disk);
      DirectoryFormat.checkOrSet(folder);
      MetaStore meta =
          new WatchedMetaStore(
              RocksMetaStore.open(folder.resolve(NodeParts.META_DIRECTORY)),
              disk.operations(),
              NodeParts.META_DIRECTORY);
      opened.push(meta);
      StreamStore streams = common.streams().get();
      opened.push(streams);
      HeadSigner signer =
          new HeadSigner(
              ServiceKeyStore.given(common.keys(), meta, common.signatures())
                  .open(common.authority()));
      ShardNode node =
          ShardNode.open(
              new ShardStorage(
                  disk, meta, streams, shard, ownership, InstantSource.system(), ownership),
              common.config(),
              common.hasher(),
              signer,
              common.meters().apply(shard.shard()));
      opened.push(node);
      return new HostedShard(opened, node);
    } catch (IOException
        | ServiceKeysException
        | CorruptStreamException
        | RuntimeException
        | Error e) {
      closeAll(opened, e);
      throw e;
    }
  }

  public LedgerNode node() {
    return node;
  }

  /// From now on members' chains lead to one of these. Without a call every chain is refused.
  public void trust(CertificateAuthorities authorities) {
    node.trust(authorities);
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

  /// Drains the shard and takes its savepoint; another may claim it then without waiting for
  /// anything.
  @Override
  public void close() throws IOException {
    IOException failure = new IOException("the shard did not close cleanly");
    closeAll(opened, failure);
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
