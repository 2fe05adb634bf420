package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/// A stream with its rings: page-locked memory for what goes in and what comes out, and as much of
/// the device. It works at one chunk of a call at a time, while its thread fills another lane. One
/// thread's at a time.
final class Lane {
  private final CudaContext context;
  private final CUstream stream;
  private final PinnedPool lent;
  private final RingSizes sizes;
  private final MemorySegment pinnedInput;
  private final MemorySegment pinnedOffsets;
  private final MemorySegment pinnedOutput;
  private final long input;
  private final LaunchParameters parameters = new LaunchParameters();
  private @Nullable DeviceCall call; // under way
  private int first;
  private int count;

  /// @param pinned of {@link #bytes}
  /// @param device address of as much
  Lane(
      CudaContext context,
      CUstream stream,
      PinnedPool lent,
      RingSizes sizes,
      MemorySegment pinned,
      long device) {
    this.context = context;
    this.stream = stream;
    this.lent = lent;
    this.sizes = sizes;
    this.pinnedInput = pinned.asSlice(0, sizes.ringBytes());
    this.pinnedOutput = pinned.asSlice(sizes.ringBytes(), sizes.ringBytes());
    this.pinnedOffsets = pinned.asSlice(2L * sizes.ringBytes(), sizes.offsetBytes());
    this.input = device;
  }

  static long bytes(RingSizes sizes) {
    return 2L * sizes.ringBytes() + sizes.offsetBytes();
  }

  /// Starts with a chunk, after the one before it is finished.
  void start(DeviceCall next, int from, int units) throws DeviceLostException {
    finish();
    context.enter();
    next.start(this, from, units);
    call = next;
    first = from;
    count = units;
  }

  /// Waits for the chunk under way, if there is one, and has its digests taken.
  void finish() throws DeviceLostException {
    DeviceCall last = call;
    if (last == null) {
      return;
    }
    context.enter();
    context.await(stream);
    call = null;
    last.finish(pinnedOutput, first, count);
  }

  /// Forgets a chunk that is not finished and never will be.
  void abandon() {
    call = null;
  }

  /// Address of what {@link #copyIn} brought.
  long input() {
    return input;
  }

  /// Address of what {@link #copyOut} brings.
  long output() {
    return input + sizes.ringBytes();
  }

  /// Address of what {@link #copyOffsets} brought.
  long offsets() {
    return input + 2L * sizes.ringBytes();
  }

  /// From where it is if that is memory that was lent.
  void copyIn(MemorySegment messages) throws DeviceLostException {
    long bytes = messages.byteSize();
    if (bytes == 0) {
      return;
    }
    long from = messages.address();
    if (!lent.holds(messages)) {
      MemorySegment.copy(messages, 0, pinnedInput, 0, bytes);
      from = pinnedInput.address();
    }
    context.driver().copyIn(input(), from, bytes, stream);
  }

  void copyOffsets(int[] offsets, int from, int messages) throws DeviceLostException {
    int copied = messages + 1;
    MemorySegment.copy(offsets, from, pinnedOffsets, ValueLayout.JAVA_INT, 0, copied);
    long bytes = (long) copied * Integer.BYTES;
    context.driver().copyIn(offsets(), pinnedOffsets.address(), bytes, stream);
  }

  LaunchParameters parameters() {
    return parameters.clear();
  }

  /// Launches with the parameters that were put last.
  ///
  /// @param threads that have work
  void launch(Kernel kernel, int threads) throws DeviceLostException {
    int whole = Math.max(Kernel.WARP_THREADS, Integer.highestOneBit(2 * threads - 1));
    int blockThreads = Math.min(Kernel.BLOCK_THREADS_MAX, whole);
    context
        .driver()
        .launch(
            context.function(kernel),
            Math.ceilDiv(threads, blockThreads),
            blockThreads,
            parameters.addresses(),
            stream);
  }

  void copyOut(long bytes) throws DeviceLostException {
    context.driver().copyOut(pinnedOutput.address(), output(), bytes, stream);
  }
}
