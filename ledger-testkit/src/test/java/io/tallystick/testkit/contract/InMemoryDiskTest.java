package io.tallystick.testkit.contract;

import io.tallystick.storage.disk.Disk;
import io.tallystick.testkit.fault.InMemoryDisk;

class InMemoryDiskTest extends DiskContract {
  @Override
  Disk open() {
    return new InMemoryDisk();
  }
}
