package io.tallystick.server.host;

import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.testkit.Fixtures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// A {@link TestNode} on a directory of this machine, with RocksDB and the stream's background
/// threads, as a service has them.
final class NodeOnDisk implements AutoCloseable {
  final RocksMetaStore meta;
  final TestNode service;
  private final LocalDisk disk;

  NodeOnDisk(Path directory, StreamSettings settings, ShardConfig config, long nowMs)
      throws IOException, CorruptStreamException {
    disk = LocalDisk.open(directory);
    meta = RocksMetaStore.open(directory.resolve(NodeParts.META_DIRECTORY));
    LocalStreamStore streams = LocalStreamStore.open(disk, NodeParts.STREAM_DIRECTORY, settings);
    service =
        new TestNode(
            disk,
            meta,
            streams,
            new LocalEpochs(meta, streams),
            config,
            new CpuBatchHasher(),
            Fixtures.RECEIPT);
    service.clock.set(nowMs);
  }

  /// What would be in the directory if the process died now.
  static Path copy(Path directory, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path each : files.toList()) {
        Files.copy(each, to.resolve(directory.relativize(each).toString()));
      }
    }
    return to;
  }

  /// Bytes of the blocks that the files of a directory have, as du(1) tells them; zeros that wait
  /// for the next segment apart.
  static long diskUse(Path directory) throws IOException {
    Process du =
        new ProcessBuilder(
                "du", "-s", "--block-size=1", "--exclude=spare.seg", directory.toString())
            .start();
    String said = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return Long.parseLong(said.substring(0, said.indexOf('\t')));
  }

  @Override
  public void close() throws IOException {
    service.close();
    meta.close();
    disk.close();
  }
}
