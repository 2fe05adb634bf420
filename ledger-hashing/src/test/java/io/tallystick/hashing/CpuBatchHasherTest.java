package io.tallystick.hashing;

import io.tallystick.testkit.hashing.BatchHasherContract;

class CpuBatchHasherTest extends BatchHasherContract {
  @Override
  protected BatchHasher hasher() {
    return new CpuBatchHasher();
  }
}
