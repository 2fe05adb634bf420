package io.tallystick.gpu;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;

/// The shim's process as a device: its memory is the process's, and a launch runs the kernels'
/// sources there.
final class ShimDevice implements KernelDevice, AutoCloseable {
  private final Path errors;
  private final String mistake;
  private final Process process;
  private final Writer orders;
  private final BufferedReader answers;
  private int seed;
  private int memories;

  ShimDevice(Path program, String mistake, int seed) throws IOException {
    this.mistake = mistake;
    this.seed = seed;
    this.errors = Files.createTempFile(program.getParent(), "device", ".err");
    ProcessBuilder command = new ProcessBuilder(program.toString()).redirectError(errors.toFile());
    command.environment().put("ASAN_OPTIONS", "detect_leaks=0");
    this.process = command.start();
    this.orders = process.outputWriter();
    this.answers = process.inputReader();
  }

  private record Memory(ShimDevice device, int id, long bytes) implements DeviceMemory {
    @Override
    public void copyIn(long offset, MemorySegment from) {
      String hex = HexFormat.of().formatHex(from.toArray(ValueLayout.JAVA_BYTE));
      device.order("write", id, offset, hex);
    }

    @Override
    public void copyOut(long offset, MemorySegment to) {
      byte[] bytes = HexFormat.of().parseHex(device.order("read", id, offset, to.byteSize()));
      to.copyFrom(MemorySegment.ofArray(bytes));
    }

    @Override
    public void close() {
      device.order("free", id);
    }
  }

  @Override
  public DeviceMemory allocate(long bytes) {
    Memory memory = new Memory(this, ++memories, bytes);
    order("allocate", memory.id, bytes);
    return memory;
  }

  @Override
  public void launch(Kernel kernel, int blocks, int blockThreads, List<KernelArgument> arguments) {
    StringJoiner words = new StringJoiner(" ");
    for (KernelArgument argument : arguments) {
      words.add(
          switch (argument) {
            case KernelArgument.Word(int value) -> Integer.toUnsignedString(value);
            case KernelArgument.Pointer(DeviceMemory memory, long offset) ->
                ((Memory) memory).id + ":" + offset;
          });
    }
    order("launch", kernel.entry(), mistake, seed++, blocks, blockThreads, words);
  }

  /// @throws IllegalStateException with what the process said, if it has ended
  private String order(Object... words) {
    StringJoiner line = new StringJoiner(" ");
    for (Object word : words) {
      line.add(word.toString());
    }
    try {
      orders.write(line + "\n");
      orders.flush();
      String answer = answers.readLine();
      if (answer != null) {
        return answer;
      }
    } catch (IOException e) {
      throw new IllegalStateException(said(), e);
    }
    throw new IllegalStateException(said());
  }

  private String said() {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroy();
  }
}
