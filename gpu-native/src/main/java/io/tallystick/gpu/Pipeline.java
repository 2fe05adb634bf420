package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/// Takes calls through the lanes of a device: while it computes one chunk, the next is copied into
/// the memory of the other lane. Thread-safe.
final class Pipeline {
  private final CudaContext context;
  private final Lanes lanes;

  Pipeline(CudaContext context, Lanes lanes) {
    this.context = context;
    this.lanes = lanes;
  }

  /// Computes a call to its end, and one digest of it again on the CPU.
  ///
  /// @throws DeviceLostException if the device did not finish or answered wrong; it is lost then
  void run(DeviceCall call) throws DeviceLostException {
    List<Lane> taken = new ArrayList<>(List.of(lanes.take()));
    boolean isDone = false;
    try {
      compute(call, taken);
      call.checkOne(ThreadLocalRandom.current());
      isDone = true;
    } catch (DeviceLostException e) {
      context.lose(e);
      throw e;
    } finally {
      if (!isDone) {
        // A lane may still be at work, so that nobody can use it.
        context.lose(new DeviceLostException("a call was broken off"));
        taken.forEach(Lane::abandon);
      }
      taken.forEach(lanes::giveBack);
    }
  }

  private void compute(DeviceCall call, List<Lane> taken) throws DeviceLostException {
    int turn = 0;
    for (int first = 0; first < call.units(); ) {
      int count = call.chunk(first);
      if (count == 0) {
        call.computeOnCpu(first++);
        continue;
      }
      taken.get(turn++ % taken.size()).start(call, first, count);
      first += count;
      Lane other = taken.size() == 1 && first < call.units() ? lanes.takeIfFree() : null;
      if (other != null) {
        taken.add(other);
      }
    }
    for (Lane lane : taken) {
      lane.finish();
    }
  }
}
