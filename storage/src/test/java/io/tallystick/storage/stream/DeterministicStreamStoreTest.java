package io.tallystick.storage.stream;

import io.tallystick.testkit.contract.Frames;
import io.tallystick.testkit.contract.StreamStoreContract;
import io.tallystick.testkit.fault.InMemoryDisk;

class DeterministicStreamStoreTest extends StreamStoreContract {
  private final InMemoryDisk disk = new InMemoryDisk();

  @Override
  protected StreamStore open() {
    return Frames.store(disk);
  }
}
