package io.tallystick.bench.gpu;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.HashDevice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// How many messages of 64 bytes a call needs to be faster on the device than on one core: the
/// smallest power of two from which on it is.
record BreakEvenCase(HashDevice device) implements MeasuredCase {
  private static final int MESSAGE_BYTES = 64;
  private static final int SMALLEST = 16;
  private static final int LARGEST = 1 << 16;
  private static final int CALLS = 20;

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    byte[] bytes = new byte[LARGEST * MESSAGE_BYTES];
    new SplittableRandom(4).nextBytes(bytes);
    int[] offsets = new int[LARGEST + 1];
    for (int i = 0; i <= LARGEST; i++) {
      offsets[i] = i * MESSAGE_BYTES;
    }
    byte[] digests = new byte[LARGEST * 32];
    int breakEven = LARGEST * 2;
    List<BenchCase> cases = new ArrayList<>();
    MemorySegment from = lend(bytes.length);
    MemorySegment to = lend(digests.length);
    MemorySegment.copy(bytes, 0, from, ValueLayout.JAVA_BYTE, 0, bytes.length);
    for (int count = LARGEST; count >= SMALLEST; count /= 2) {
      int messages = count;
      double micros = micros(run, () -> device.leaves(from, offsets, messages, to));
      double cpu =
          micros(run, () -> BatchHasher.cpu().leaves(bytes, offsets, messages, digests, 0));
      cases.addFirst(
          BenchCase.figure(String.format(Locale.ROOT, "leaves-%d-device", count), micros, "µs"));
      cases.addFirst(
          BenchCase.figure(String.format(Locale.ROOT, "leaves-%d-one-core", count), cpu, "µs"));
      if (micros >= cpu) {
        break;
      }
      breakEven = count;
    }
    device.takeBack(from);
    device.takeBack(to);
    run.say(String.format(Locale.ROOT, "  break-even: %,d messages", breakEven));
    cases.addFirst(BenchCase.figure("break-even", breakEven, "messages"));
    cases.addFirst(
        BenchCase.figure("break-even-calibrated", device.worthwhileMessages(), "messages"));
    return cases;
  }

  private MemorySegment lend(int bytes) {
    return device
        .lend(bytes)
        .orElseThrow(() -> new IllegalStateException("the device lends no " + bytes + " bytes"));
  }

  /// The median of many calls.
  private static double micros(Run run, SideBySide.Work work) throws Exception {
    double[] micros = new double[CALLS * run.repetitions()];
    for (int i = -CALLS; i < micros.length; i++) {
      long started = System.nanoTime();
      work.run();
      if (i >= 0) {
        micros[i] = (System.nanoTime() - started) / 1e3;
      }
    }
    return BenchCase.median(micros);
  }
}
