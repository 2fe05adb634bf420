package io.tallystick.gpu;

import io.tallystick.model.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Runs the kernels' sources on the CPU: `src/test/cpp`, compiled by g++ with its sanitizers of
/// addresses and undefined behaviour; a process for each launch. There must be a g++.
final class Shim implements KernelRunner {
  /// A part of a larger batch has other offsets than its bytes have.
  private static final int ORIGIN = 1_000_003;

  private static final String NONE = "NONE";

  private static @Nullable Shim shared;

  private final Path program;
  private final String mistake;

  private Shim(Path program, String mistake) {
    this.program = program;
    this.mistake = mistake;
  }

  /// The one of this process, which is compiled once; that takes 8 seconds.
  static synchronized Shim compiled() throws IOException, InterruptedException {
    if (shared == null) {
      shared = compile(Files.createTempDirectory(Path.of("target"), "shim"));
    }
    return shared;
  }

  /// @param folder where it is built and runs
  private static Shim compile(Path folder) throws IOException, InterruptedException {
    Path program = folder.resolve("shim");
    Path log = folder.resolve("shim.log");
    String command =
        "g++ -std=c++17 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined"
            + " -fno-sanitize-recover=all -I../gpu-native/src/main/cuda"
            + " -I../gpu-native/src/test/cpp ../gpu-native/src/test/cpp/shim.cpp -o "
            + program;
    Process compiler =
        new ProcessBuilder(command.split(" ", -1))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (compiler.waitFor() != 0) {
      throw new AssertionError(command + "\n" + Files.readString(log));
    }
    return new Shim(program, NONE);
  }

  /// The same with a mistake in it.
  Shim withMistake(String planted) {
    return new Shim(program, planted);
  }

  /// A device of its own, which a process stands for.
  ///
  /// @param seed of the order in which threads run
  ShimDevice device(int seed) throws IOException {
    return new ShimDevice(program, mistake, seed);
  }

  @Override
  public byte[] sha256Strided(Launch launch, byte[] messages, int stride, int count)
      throws IOException, InterruptedException {
    return run(Kernel.SHA256_STRIDED, launch, count, stride + " " + hex(messages), count);
  }

  @Override
  public byte[] sha256(Launch launch, MessageBatch messages, int prefix)
      throws IOException, InterruptedException {
    String arguments = prefix + " " + batch(messages);
    return run(Kernel.SHA256, launch, messages.count(), arguments, messages.count());
  }

  @Override
  public byte[] keccak256(Launch launch, MessageBatch messages)
      throws IOException, InterruptedException {
    return run(Kernel.KECCAK256, launch, messages.count(), batch(messages), messages.count());
  }

  @Override
  public byte[] subtrees(Launch launch, byte[] leaves, int levels)
      throws IOException, InterruptedException {
    int count = leaves.length / Digest.BYTES;
    String arguments = levels + " " + hex(leaves);
    return run(Kernel.RFC9162_SUBTREES, launch, count, arguments, count - (count >> levels));
  }

  private static String batch(MessageBatch messages) {
    String offsets =
        Arrays.stream(messages.offsets())
            .mapToObj(offset -> Integer.toString(ORIGIN + offset))
            .collect(Collectors.joining(","));
    return ORIGIN + " " + offsets + " " + hex(messages.bytes());
  }

  private static String hex(byte[] bytes) {
    return bytes.length == 0 ? "-" : HexFormat.of().formatHex(bytes);
  }

  private byte[] run(Kernel kernel, Launch launch, int count, String arguments, int digests)
      throws IOException, InterruptedException {
    String line =
        String.join(
            " ",
            kernel.entry(),
            mistake,
            Integer.toString(launch.seed()),
            Integer.toString(launch.blockThreads()),
            Integer.toString(count),
            arguments);
    Path input = Files.createTempFile(program.getParent(), "launch", ".in");
    Path output = Files.createTempFile(program.getParent(), "launch", ".out");
    Path errors = Files.createTempFile(program.getParent(), "launch", ".err");
    Files.writeString(input, line + "\n");
    ProcessBuilder command =
        new ProcessBuilder(program.toString())
            .redirectInput(input.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    command.environment().put("ASAN_OPTIONS", "detect_leaks=0");
    int status = command.start().waitFor();
    if (status != 0) {
      throw new IllegalStateException("exit code " + status + "\n" + Files.readString(errors));
    }
    byte[] made = HexFormat.of().parseHex(Files.readString(output).strip());
    if (made.length != digests * Digest.BYTES) {
      throw new IllegalStateException(made.length + " bytes, want " + digests + " digests");
    }
    return made;
  }
}
