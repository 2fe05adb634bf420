package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.fault.ForwardingDisk;
import java.io.IOException;

/// A shard's disk as it is when the stream is not stored in its files.
final class StreamlessDisk extends ForwardingDisk {
  private StreamlessDisk(Disk disk) {
    super(disk);
  }

  /// The same storage, but that the stream is reached through its store alone.
  static ShardStorage under(ShardStorage storage) {
    return new ShardStorage(
        new StreamlessDisk(storage.disk()),
        storage.meta(),
        storage.streams(),
        storage.stream(),
        storage.epochs(),
        storage.clock());
  }

  @Override
  public DiskFile open(String name) throws IOException {
    assertThat(name).doesNotStartWith("stream/");
    return super.open(name);
  }
}
