package io.tallystick.testkit.fault;

import io.tallystick.storage.disk.Disk;
import io.tallystick.testkit.contract.DiskContract;

class InMemoryDiskTest extends DiskContract {
  @Override
  protected Disk open() {
    return new InMemoryDisk();
  }
}
