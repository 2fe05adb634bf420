package io.tallystick.gpu.ptx;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/// PTX for the tests: files of the test resources, and small kernels written by hand.
final class Programs {
  /// The line on which the body of [#kernel] begins.
  static final int BODY_LINE = 2;

  private static final String HEADER = ".version 6.3 .target sm_70 .address_size 64 ";
  private static final String REGISTERS =
      ".reg .pred %p<10>; .reg .b16 %rs<10>; .reg .b32 %r<20>; .reg .b64 %rd<20>;"
          + " ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;\n";

  private Programs() {}

  /// A file that clang has compiled.
  static PtxModule compiled(String name) {
    try (InputStream file = Programs.class.getResourceAsStream(name + ".ptx")) {
      byte[] text = Objects.requireNonNull(file, name).readAllBytes();
      return PtxModule.parse(new String(text, StandardCharsets.US_ASCII));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /// The kernel `k`. It has the address of its output in %rd0, its thread in %r0, and registers %p0
  /// to 9, %rs0 to 9, %r0 to 19, %rd0 to 19.
  static PtxModule kernel(String body) {
    return kernel("", body);
  }

  /// @param outside what stands before the kernel, in one line
  static PtxModule kernel(String outside, String body) {
    return PtxModule.parse(
        HEADER
            + outside
            + ".visible .entry k(.param .u64 out) { "
            + REGISTERS
            + body
            + "\nret;\n}\n");
  }

  /// Runs a body in one block.
  ///
  /// @return the `words` words of 32 bits that it may write, which are zero before
  static int[] run(String body, int threads, int words) {
    return run(kernel(body), threads, words, 0);
  }

  static int[] run(PtxModule module, int threads, int words, long seed) {
    byte[] memory = new byte[4 * words];
    Interpreter device = new Interpreter(module);
    Arguments arguments = new Arguments().u64(device.map(MemorySegment.ofArray(memory)));
    device.launch(Launch.of("k", 1, threads, arguments).withSeed(seed));
    return MemorySegment.ofArray(memory).toArray(ValueLayout.JAVA_INT_UNALIGNED);
  }
}
