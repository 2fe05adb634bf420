package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// Memory of a CUDA device, of its {@link CudaKernels}.
final class CudaMemory implements DeviceMemory {
  private final CudaKernels kernels;
  private final long address;
  private final long bytes;

  CudaMemory(CudaKernels kernels, long address, long bytes) {
    this.kernels = kernels;
    this.address = address;
    this.bytes = bytes;
  }

  long address() {
    return address;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void copyIn(long offset, MemorySegment from) throws DeviceLostException {
    Objects.checkFromIndexSize(offset, from.byteSize(), bytes);
    kernels.copyIn(address + offset, from);
  }

  @Override
  public void copyOut(long offset, MemorySegment to) throws DeviceLostException {
    Objects.checkFromIndexSize(offset, to.byteSize(), bytes);
    kernels.copyOut(address + offset, to);
  }

  @Override
  public void close() {
    kernels.free(address);
  }
}
