package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;

/// A call that a device computes in chunks, each of them within the rings of a lane. Its units,
/// messages or subtrees, are numbered from 0.
interface DeviceCall {
  int units();

  /// Units from `first` on that the next chunk has; 0 if the unit does not fit into a lane.
  int chunk(int first);

  /// Computes a unit that does not fit.
  void computeOnCpu(int unit);

  /// Puts copies in, launches and the copy out into the lane's stream, and waits for none.
  void start(Lane lane, int first, int count) throws DeviceLostException;

  /// Takes the digests of a chunk.
  ///
  /// @param output what the lane copied out
  void finish(MemorySegment output, int first, int count);

  /// Computes one digest again, on the CPU.
  ///
  /// @throws DeviceLostException if the device's is another: nothing of it is to be trusted
  void checkOne(RandomGenerator random) throws DeviceLostException;
}
