package io.tallystick.bench.gpu;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.gpu.DeviceMemory;
import io.tallystick.gpu.DeviceProperties;
import io.tallystick.gpu.Kernel;
import io.tallystick.gpu.KernelArgument;
import io.tallystick.gpu.KernelDevice;
import io.tallystick.hashing.BatchHasher;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// SHA-256 of messages of 64 bytes that lie in the device's memory, beside what its integer units
/// allow: 64 lanes of each multiprocessor at the highest clock, and 2,134 instructions a hash.
record KernelRateCase(KernelDevice kernels, DeviceProperties device, int messages)
    implements MeasuredCase {
  private static final int MESSAGE_BYTES = 64;
  private static final int LANES = 64;
  private static final int INSTRUCTIONS = 2_134;
  private static final int LAUNCHES = 5;
  private static final int BLOCK_THREADS = 256;
  private static final double WANTED = 0.6;

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    byte[] part = new byte[MESSAGE_BYTES * Math.min(messages, 1 << 16)];
    new SplittableRandom(3).nextBytes(part);
    double ceiling =
        (double) device.multiprocessors() * LANES * device.clockKilohertz() * 1000 / INSTRUCTIONS;
    double[] rates = new double[run.repetitions()];
    try (DeviceMemory from = kernels.allocate((long) messages * MESSAGE_BYTES);
        DeviceMemory to = kernels.allocate(messages * 32L)) {
      fill(from, part);
      launch(from, to);
      for (int i = 0; i < rates.length; i++) {
        rates[i] =
            SideBySide.perSecond(
                (long) messages * LAUNCHES,
                () -> {
                  for (int j = 0; j < LAUNCHES; j++) {
                    launch(from, to);
                  }
                });
      }
      check(to, part);
    }
    run.say(
        String.format(
            Locale.ROOT,
            "  sha256-64-kernel: %,.0f of %,.0f hashes/s",
            BenchCase.median(rates),
            ceiling));
    double[] ratios = new double[rates.length];
    for (int i = 0; i < rates.length; i++) {
      ratios[i] = rates[i] / ceiling;
    }
    return List.of(
        BenchCase.spread("sha256-64-kernel", "hashes/s", rates),
        BenchCase.figure("sha256-64-ceiling", ceiling, "hashes/s"),
        BenchCase.beside("sha256-64-kernel-ratio", ratios, "of the ceiling", WANTED));
  }

  private void fill(DeviceMemory from, byte[] part) throws Exception {
    for (long at = 0; at < from.bytes(); at += part.length) {
      long size = Math.min(part.length, from.bytes() - at);
      from.copyIn(at, MemorySegment.ofArray(part).asSlice(0, size));
    }
  }

  private void launch(DeviceMemory from, DeviceMemory to) throws Exception {
    int blocks = (messages + BLOCK_THREADS - 1) / BLOCK_THREADS;
    kernels.launch(
        Kernel.SHA256_STRIDED,
        blocks,
        BLOCK_THREADS,
        List.of(
            new KernelArgument.Pointer(from, 0),
            new KernelArgument.Word(MESSAGE_BYTES),
            new KernelArgument.Word(messages),
            new KernelArgument.Pointer(to, 0)));
  }

  private static void check(DeviceMemory to, byte[] part) throws Exception {
    int count = part.length / MESSAGE_BYTES;
    byte[] cpu = new byte[count * 32];
    BatchHasher.cpu().sha256(part, 0, MESSAGE_BYTES, count, cpu, 0);
    byte[] device = new byte[cpu.length];
    to.copyOut(0, MemorySegment.ofArray(device));
    Digests.equal(device, cpu);
  }
}
