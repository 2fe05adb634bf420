package io.tallystick.crypto;

import io.tallystick.testkit.hashing.BatchHasherContract;

class CpuBatchHasherTest extends BatchHasherContract {
  @Override
  protected BatchHasher hasher() {
    return new CpuBatchHasher();
  }
}
