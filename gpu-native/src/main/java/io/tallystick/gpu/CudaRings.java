package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import jcuda.driver.CUstream;

/// All memory that hashing takes of the host and of the device, in one block each, and the streams.
final class CudaRings {
  private static final int LANES = 2;

  private final CudaDriver driver;
  private final RingSizes sizes;
  private final MemorySegment block; // page-locked
  private final long device;
  private final PinnedPool pool;
  private final List<Lane> lanes = new ArrayList<>();

  private CudaRings(CudaContext context, RingSizes sizes)
      throws DeviceLostException, DeviceFullException {
    this.driver = context.driver();
    this.sizes = sizes;
    long laneBytes = LANES * Lane.bytes(sizes);
    PinnedBlock pinned = PinnedBlock.allocate(driver, laneBytes + sizes.lentBytes());
    try {
      this.device = driver.allocate(laneBytes);
    } catch (DeviceLostException | DeviceFullException e) {
      CudaContext.quietly(pinned::free);
      throw e;
    }
    this.block = pinned.memory();
    this.pool = new PinnedPool(block.asSlice(laneBytes, sizes.lentBytes()));
    context.onClose(pinned::free);
    context.onClose(() -> driver.free(device));
  }

  /// Freed with the context.
  ///
  /// @param most that it takes; less if there is no room
  static CudaRings allocate(CudaContext context, RingSizes most)
      throws DeviceLostException, DeviceUnavailableException {
    for (RingSizes sizes = most; ; sizes = sizes.halved()) {
      try {
        CudaRings rings = new CudaRings(context, sizes);
        rings.makeLanes(context);
        return rings;
      } catch (DeviceFullException e) {
        if (!sizes.canBeHalved()) {
          throw new DeviceUnavailableException(String.valueOf(e.getMessage()), e);
        }
      }
    }
  }

  private void makeLanes(CudaContext context) throws DeviceLostException {
    long bytes = Lane.bytes(sizes);
    for (int i = 0; i < LANES; i++) {
      CUstream stream = driver.stream();
      context.onClose(() -> driver.destroy(stream));
      MemorySegment pinned = block.asSlice(i * bytes, bytes);
      lanes.add(new Lane(context, stream, pool, sizes, pinned, device + i * bytes));
    }
  }

  RingSizes sizes() {
    return sizes;
  }

  List<Lane> lanes() {
    return lanes;
  }

  /// What buffers are lent from.
  PinnedPool pool() {
    return pool;
  }
}
