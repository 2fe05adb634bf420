package io.tallystick.testkit.hashing;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.crypto.CpuBatchHasher;

class CpuBatchHasherTest extends BatchHasherContract {
  @Override
  protected BatchHasher hasher() {
    return new CpuBatchHasher();
  }
}
