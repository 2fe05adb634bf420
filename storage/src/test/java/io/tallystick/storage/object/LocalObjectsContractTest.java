package io.tallystick.storage.object;

import io.tallystick.testkit.contract.ObjectStoreContract;
import io.tallystick.testkit.fault.InMemoryDisk;

/// {@link ObjectStoreContract} over files of a data directory.
class LocalObjectsContractTest extends ObjectStoreContract {
  private final InMemoryDisk disk = new InMemoryDisk();

  @Override
  protected ObjectStore open() throws Exception {
    return LocalObjects.open(disk);
  }

  @Override
  protected void damage(KeptObject object) throws Exception {
    disk.flipBit(LocalObjects.file(object.name()), 200_000, 3);
  }
}
