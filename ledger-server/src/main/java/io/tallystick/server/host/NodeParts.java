package io.tallystick.server.host;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.server.shard.Epochs;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.disk.WatchedDisk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.meta.WatchedMetaStore;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.storage.stream.StreamStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.UnaryOperator;

/// The parts that a node is put together from. {@link #local} opens the parts of a data directory;
/// another kind of stream, meta store or source of epochs stands in the same place.
///
/// @param disk for the files of the indexes
/// @param shard the one that the node hosts
public record NodeParts(
    StreamStore streams,
    MetaStore meta,
    Disk disk,
    BatchHasher hasher,
    Epochs epochs,
    StreamId shard)
    implements AutoCloseable {
  static final String STREAM_DIRECTORY = "stream";
  static final String META_DIRECTORY = "meta";
  private static final StreamId LOCAL_SHARD = new StreamId(0);

  /// Opens the parts of a node.
  @FunctionalInterface
  public interface Factory {
    /// @param dataDirectory in which the node's keys are
    /// @param hasher of the node's blocks and trees; not closed with the parts
    /// @throws IOException also when another process holds the directory
    NodeParts open(Path dataDirectory, BatchHasher hasher) throws IOException;
  }

  /// Opens or creates a data directory: its lock, files, meta store and streams, and the cold
  /// directory that it names.
  public static NodeParts local(Path dataDirectory, BatchHasher hasher) throws IOException {
    return local(dataDirectory, hasher, UnaryOperator.identity());
  }

  /// The same with another disk around the local one, which closes it.
  public static NodeParts local(Path dataDirectory, BatchHasher hasher, UnaryOperator<Disk> around)
      throws IOException {
    DirectoryMarks.check(dataDirectory);
    return unchecked(dataDirectory, hasher, around);
  }

  /// Opens a data directory that is being restored.
  static NodeParts unchecked(Path dataDirectory, BatchHasher hasher) throws IOException {
    return unchecked(dataDirectory, hasher, UnaryOperator.identity());
  }

  private static NodeParts unchecked(
      Path dataDirectory, BatchHasher hasher, UnaryOperator<Disk> around) throws IOException {
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    try {
      WatchedDisk disk =
          new WatchedDisk(
              around.apply(ColdDirectory.beside(LocalDisk.open(dataDirectory), dataDirectory)));
      opened.push(disk);
      DirectoryFormat.checkOrSet(dataDirectory);
      MetaStore meta =
          new WatchedMetaStore(
              RocksMetaStore.open(dataDirectory.resolve(META_DIRECTORY)),
              disk.operations(),
              META_DIRECTORY);
      opened.push(meta);
      StreamStore streams = LocalStreamStore.open(disk, STREAM_DIRECTORY, StreamSettings.DEFAULT);
      return new NodeParts(
          streams, meta, disk, hasher, new LocalEpochs(meta, streams), LOCAL_SHARD);
    } catch (IOException | RuntimeException | Error e) {
      closeAll(opened, e);
      throw e;
    }
  }

  private static void closeAll(Deque<AutoCloseable> opened, Throwable cause) {
    for (AutoCloseable each : opened) {
      try {
        each.close();
      } catch (Exception onClosing) {
        cause.addSuppressed(onClosing);
      }
    }
  }

  ShardStorage storage(InstantSource clock) {
    return new ShardStorage(disk, meta, streams, shard, epochs, clock);
  }

  /// Closes streams, meta store and disk, each even if another fails.
  @Override
  public void close() throws IOException {
    try (disk;
        meta;
        streams) {
      // Closed in the opposite order.
    }
  }
}
