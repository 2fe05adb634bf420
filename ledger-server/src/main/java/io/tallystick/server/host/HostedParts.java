package io.tallystick.server.host;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.server.ship.FetchedFolder;
import io.tallystick.server.ship.SavepointFetcher;
import io.tallystick.server.ship.SharedObjects;
import io.tallystick.server.ship.ShippedEnd;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.disk.WatchedDisk;
import io.tallystick.storage.meta.WatchedMetaStore;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.replicated.ShardClaim;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What one opening of a cluster's shard stands on: a folder of its own for indexes, the stream
/// that is shared, and the shipped savepoints.
///
/// @param wake run when the pointer to savepoints has moved; set by whoever waits for that
record HostedParts(
    Deque<AutoCloseable> opened,
    ShardStorage storage,
    ReplicatedStreamStore streams,
    SharedOwnership ownership,
    HeadSigner signer,
    MeterRegistry meters,
    HostedShard.Common common,
    ShippedEnd shippedTo,
    AtomicReference<Runnable> wake)
    implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HostedParts.class);

  /// Holds the folder, and fetches a savepoint if what is there is too old.
  static HostedParts open(
      Path folder, StreamId shard, SharedOwnership ownership, HostedShard.Common common)
      throws IOException, ServiceKeysException, CorruptStreamException {
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    try {
      return open(opened, folder, shard, ownership, common);
    } catch (IOException
        | ServiceKeysException
        | CorruptStreamException
        | RuntimeException
        | Error e) {
      closeAll(opened, e);
      throw e;
    }
  }

  private static HostedParts open(
      Deque<AutoCloseable> opened,
      Path folder,
      StreamId shard,
      SharedOwnership ownership,
      HostedShard.Common common)
      throws IOException, ServiceKeysException, CorruptStreamException {
    Files.createDirectories(folder);
    WatchedDisk disk = new WatchedDisk(LocalDisk.open(folder));
    opened.push(disk);
    DirectoryFormat.checkOrSet(folder);
    FetchedFolder fetched = new FetchedFolder(folder);
    var _ = fetched.settle();
    FolderRows rows = FolderRows.open(folder.resolve(NodeParts.META_DIRECTORY));
    opened.push(rows);
    InstantSource clock = common.clock();
    AtomicReference<Runnable> wake = new AtomicReference<>(() -> {});
    ShippedEnd shippedTo = new ShippedEnd(() -> wake.get().run());
    SavepointFetcher fetcher =
        new SavepointFetcher(
            shard,
            common.shipping().stores().apply(shard),
            common.shipping().pointers().apply(shard),
            common.shipping().software(),
            clock,
            common.config().disk().freeBytesMin());
    HostedOwnership hosted =
        new HostedOwnership(shard, ownership, fetched, rows, fetcher, shippedTo);
    hosted.prepare();
    ReplicatedStreamStore streams = common.streams().get();
    opened.push(streams);
    WatchedMetaStore meta = new WatchedMetaStore(rows, disk.operations(), NodeParts.META_DIRECTORY);
    HeadSigner signer =
        new HeadSigner(
            ServiceKeyStore.openListed(
                common.keys(), common.authority(), common.pairs(), meta, common.signatures()));
    MeterRegistry meters = common.meters().apply(shard.shard());
    opened.push(meters::close);
    return new HostedParts(
        opened,
        new ShardStorage(
            disk,
            meta,
            streams,
            shard,
            ownership,
            clock,
            hosted,
            Optional.of(objects(shard, ownership, common))),
        streams,
        ownership,
        signer,
        meters,
        common,
        shippedTo,
        wake);
  }

  /// Made under the newest claim: whoever follows makes none.
  private static SharedObjects objects(
      StreamId shard, SharedOwnership ownership, HostedShard.Common common) {
    return new SharedObjects(
        common.shipping().objects().apply(shard),
        () -> ownership.claim().map(ShardClaim::epoch).orElseThrow());
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

  /// Reads the pairs of keys that the cluster lists, if that is possible now.
  void readPairs() {
    try {
      signer.pairs().readAgain();
    } catch (IOException e) {
      LOG.warn("the key pairs of shard {} cannot be read: {}", storage.stream(), e.toString());
    }
  }

  /// Closes it because of a failure, to which those of closing are added.
  void closeAfter(Throwable cause) {
    closeAll(opened, cause);
  }

  /// Closes what was opened, the last first; each even if another fails.
  @Override
  public void close() throws IOException {
    IOException failure = new IOException("the shard did not close cleanly");
    closeAll(opened, failure);
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
