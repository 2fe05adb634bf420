package io.tallystick.gpu;

import io.tallystick.gpu.ptx.Arguments;
import io.tallystick.gpu.ptx.Interpreter;
import io.tallystick.gpu.ptx.Launch;
import io.tallystick.gpu.ptx.PtxModule;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;

/// The interpreter as a device. Its memory is full of anything at first and is never given back.
final class InterpretedDevice implements KernelDevice {
  /// Of all threads of a launch: more than any takes that is right.
  private static final long INSTRUCTIONS_MAX = 400_000_000;

  private final Interpreter interpreter;
  private final Random random;
  private int seed;

  /// @param seed of the order in which threads run
  InterpretedDevice(PtxModule module, int seed) {
    this.interpreter = new Interpreter(module);
    this.random = new Random(seed);
    this.seed = seed;
  }

  private record Memory(MemorySegment segment, long address) implements DeviceMemory {
    @Override
    public long bytes() {
      return segment.byteSize();
    }

    @Override
    public void copyIn(long offset, MemorySegment from) {
      segment.asSlice(offset, from.byteSize()).copyFrom(from);
    }

    @Override
    public void copyOut(long offset, MemorySegment to) {
      to.copyFrom(segment.asSlice(offset, to.byteSize()));
    }

    @Override
    public void close() {}
  }

  @Override
  public DeviceMemory allocate(long bytes) {
    byte[] content = new byte[Math.toIntExact(bytes)];
    random.nextBytes(content);
    MemorySegment segment = MemorySegment.ofArray(content);
    return new Memory(segment, interpreter.map(segment));
  }

  @Override
  public void launch(Kernel kernel, int blocks, int blockThreads, List<KernelArgument> arguments) {
    Arguments passed = new Arguments();
    for (KernelArgument argument : arguments) {
      switch (argument) {
        case KernelArgument.Word(int value) -> passed.u32(value);
        case KernelArgument.Pointer(DeviceMemory memory, long offset) ->
            passed.u64(((Memory) memory).address() + offset);
      }
    }
    interpreter.launch(
        Launch.of(kernel.entry(), blocks, blockThreads, passed)
            .withSeed(seed++)
            .withInstructionsMax(INSTRUCTIONS_MAX));
  }
}
