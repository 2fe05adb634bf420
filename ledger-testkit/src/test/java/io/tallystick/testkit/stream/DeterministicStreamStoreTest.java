package io.tallystick.testkit.stream;

import io.tallystick.storage.stream.StreamStore;
import io.tallystick.testkit.fault.InMemoryDisk;

class DeterministicStreamStoreTest extends StreamStoreContract {
  private final InMemoryDisk disk = new InMemoryDisk();

  @Override
  StreamStore open() {
    return Frames.store(disk);
  }
}
