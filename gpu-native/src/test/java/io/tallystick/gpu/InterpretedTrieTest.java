package io.tallystick.gpu;

import io.tallystick.gpu.ptx.PtxModule;
import io.tallystick.testkit.Effort;

/// Goal: the committed PTX of the trie does what the sources say, and nothing that is undefined on
/// a device. Method: the contract in the interpreter, which also shows stores late.
class InterpretedTrieTest extends DeviceTrieContract {
  private static final PtxModule MODULE = PtxModule.parse(KernelImage.ptx());

  @Override
  KernelDevice device(int seed) {
    return new InterpretedDevice(MODULE, seed);
  }

  @Override
  int entries() {
    return Effort.of(12, 100);
  }

  @Override
  int seeds() {
    return Effort.of(1, 10);
  }
}
