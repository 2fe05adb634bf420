package io.tallystick.server.host;

import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;

/// A block as a service stores it.
public final class StoredBlockFixture {
  private StoredBlockFixture() {}

  /// The block of one batch, behind genesis.
  public static BlockInfo ofBatch(int count) throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    try (TestNode service = new TestNode(disk, new InMemoryMetaStore())) {
      service.found();
      service.append(service.fixtures.batch(1, count));
    }
    StoredStream stream = new StoredStream(disk);
    for (StoredStream.Frame frame : stream.frames()) {
      for (BlockInfo block : new CommitFrame(stream.infos(frame), 0).blocks()) {
        if (block.journals() == count) {
          return block;
        }
      }
    }
    throw new AssertionError("no block of " + count);
  }
}
