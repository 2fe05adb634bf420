package io.tallystick.gpu.ptx;

import java.lang.foreign.MemorySegment;

/// A device with one module: its global memory, and launches, one after the other.
public final class Interpreter {
  private final PtxModule module;
  private final Memory global = new Memory(Space.GLOBAL);
  private final Memory constants = new Memory(Space.CONST);
  private final Layout layout;
  private long executed;

  public Interpreter(PtxModule module) {
    this.module = module;
    this.layout = new Layout(module.globalEnd());
    module.globals().forEach(variable -> global.add(variable.base(), variable.instance()));
    module.constants().forEach(variable -> constants.add(variable.base(), variable.instance()));
  }

  /// Makes `memory` an object of global memory; kernels read and write the caller's bytes.
  ///
  /// @return its address on the device, a multiple of 256
  public long map(MemorySegment memory) {
    long address = layout.place(memory.byteSize(), 256);
    global.add(address, memory);
    return address;
  }

  /// The memory of a variable outside of functions.
  public MemorySegment global(String name) {
    Variable found =
        module.globals().stream()
            .filter(variable -> variable.name().equals(name))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no variable " + name));
    return global.objectAt(found.base());
  }

  /// Runs all threads of all blocks to their end.
  ///
  /// @throws KernelFaultException at the first thing that is undefined on a device
  /// @throws IllegalArgumentException when the launch doesn't fit the kernel
  public void launch(Launch launch) {
    PtxFunction kernel = module.function(launch.kernel());
    if (!kernel.isKernel()) {
      throw new IllegalArgumentException(kernel.name() + " is no kernel");
    }
    if (launch.threads() > kernel.threadsMax()) {
      throw new IllegalArgumentException(
          launch.threads() + " threads, want at most " + kernel.threadsMax());
    }
    launch.arguments().check(kernel);
    long shared = module.shared(kernel).stream().mapToLong(Variable::bytes).sum();
    if (shared + launch.sharedBytes() > Launch.SHARED_BYTES_MAX) {
      throw new IllegalArgumentException(shared + " bytes of shared memory");
    }
    Scheduler scheduler = new Scheduler(this, launch, kernel);
    try {
      scheduler.run();
    } finally {
      executed = scheduler.executed();
    }
  }

  /// Instructions that the last launch executed, over all threads.
  public long executed() {
    return executed;
  }

  PtxModule module() {
    return module;
  }

  Memory global() {
    return global;
  }

  Memory constants() {
    return constants;
  }
}
