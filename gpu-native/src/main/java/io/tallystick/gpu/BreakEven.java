package io.tallystick.gpu;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.HashDevice;
import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/// From how many messages a call is faster on the device than on one core of the CPU.
final class BreakEven {
  static final int MESSAGES_MIN = 64;
  static final int MESSAGES_MAX = 1 << 16;

  private static final int MESSAGE_BYTES = 64;
  private static final int ROUNDS = 3;

  /// The CPU hashes many times slower before its code is compiled.
  private static final long WARM_UP_NANOS = 40_000_000;

  /// Sizes are tried while this lasts; one more may begin before.
  private static final long BUDGET_NANOS = 120_000_000;

  private BreakEven() {}

  @FunctionalInterface
  private interface Call {
    void run() throws DeviceLostException;
  }

  /// The smallest of some sizes at which the device is not slower, transfers included. If there is
  /// none, the largest.
  static int measure(HashDevice device) throws DeviceLostException {
    byte[] messages = new byte[MESSAGES_MAX * MESSAGE_BYTES];
    new SplittableRandom(1).nextBytes(messages);
    byte[] digests = new byte[MESSAGES_MAX * Digest.BYTES];
    MemorySegment from = MemorySegment.ofArray(messages);
    MemorySegment to = MemorySegment.ofArray(digests);
    long start = System.nanoTime();
    while (System.nanoTime() - start < WARM_UP_NANOS) {
      BatchHasher.cpu().sha256(messages, 0, MESSAGE_BYTES, MESSAGES_MIN, digests, 0);
    }
    for (int size = MESSAGES_MIN; size < MESSAGES_MAX; size *= 2) {
      int count = size;
      long onCpu =
          best(() -> BatchHasher.cpu().sha256(messages, 0, MESSAGE_BYTES, count, digests, 0));
      long onDevice = best(() -> device.sha256(from, MESSAGE_BYTES, count, to));
      if (onDevice <= onCpu) {
        return count;
      }
      if (System.nanoTime() - start > BUDGET_NANOS) {
        break;
      }
    }
    return MESSAGES_MAX;
  }

  private static long best(Call call) throws DeviceLostException {
    long best = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      call.run();
      best = Math.min(best, System.nanoTime() - start);
    }
    return best;
  }
}
