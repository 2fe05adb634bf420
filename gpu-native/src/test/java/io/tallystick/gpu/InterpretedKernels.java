package io.tallystick.gpu;

import io.tallystick.gpu.ptx.Arguments;
import io.tallystick.gpu.ptx.Interpreter;
import io.tallystick.gpu.ptx.PtxModule;
import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Runs the PTX in the interpreter.
final class InterpretedKernels implements KernelRunner {
  private static final int WORD_BYTES = 4;

  private final PtxModule module;

  /// @param ptx the committed text, or one with a mistake in it
  InterpretedKernels(String ptx) {
    this.module = PtxModule.parse(ptx);
  }

  @Override
  public byte[] sha256Strided(Launch launch, byte[] messages, int stride, int count) {
    byte[] digests = new byte[count * Digest.BYTES];
    Interpreter device = new Interpreter(module);
    Arguments arguments =
        new Arguments()
            .u64(device.map(words(messages)))
            .u32(stride)
            .u32(count)
            .u64(device.map(MemorySegment.ofArray(digests)));
    launch(device, Kernel.SHA256_STRIDED, launch, count, arguments);
    return digests;
  }

  @Override
  public byte[] sha256(Launch launch, MessageBatch messages, int prefix) {
    byte[] digests = new byte[messages.count() * Digest.BYTES];
    Interpreter device = new Interpreter(module);
    Arguments arguments =
        batch(device, messages).u32(prefix).u64(device.map(MemorySegment.ofArray(digests)));
    launch(device, Kernel.SHA256, launch, messages.count(), arguments);
    return digests;
  }

  @Override
  public byte[] keccak256(Launch launch, MessageBatch messages) {
    byte[] digests = new byte[messages.count() * Digest.BYTES];
    Interpreter device = new Interpreter(module);
    Arguments arguments = batch(device, messages).u64(device.map(MemorySegment.ofArray(digests)));
    launch(device, Kernel.KECCAK256, launch, messages.count(), arguments);
    return digests;
  }

  @Override
  public byte[] subtrees(Launch launch, byte[] leaves, int levels) {
    int count = leaves.length / Digest.BYTES;
    byte[] nodes = new byte[(count - (count >> levels)) * Digest.BYTES];
    Interpreter device = new Interpreter(module);
    Arguments arguments =
        new Arguments()
            .u64(device.map(MemorySegment.ofArray(leaves)))
            .u32(count)
            .u32(levels)
            .u64(device.map(MemorySegment.ofArray(nodes)));
    launch(device, Kernel.RFC9162_SUBTREES, launch, count / 2, arguments);
    return nodes;
  }

  /// Messages, offsets, origin, count.
  private static Arguments batch(Interpreter device, MessageBatch messages) {
    return new Arguments()
        .u64(device.map(words(messages.bytes())))
        .u64(device.map(MemorySegment.ofArray(messages.offsets())))
        .u32(messages.offsets()[0])
        .u32(messages.count());
  }

  private static MemorySegment words(byte[] bytes) {
    int rounded = (bytes.length + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
    return MemorySegment.ofArray(Arrays.copyOf(bytes, rounded));
  }

  private static void launch(
      Interpreter device, Kernel kernel, Launch launch, int threads, Arguments arguments) {
    int blocks = (threads + launch.blockThreads() - 1) / launch.blockThreads();
    device.launch(
        io.tallystick.gpu.ptx.Launch.of(kernel.entry(), blocks, launch.blockThreads(), arguments)
            .withSeed(launch.seed()));
  }
}
