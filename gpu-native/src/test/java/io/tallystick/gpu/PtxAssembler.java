package io.tallystick.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jcuda.nvptxcompiler.JNvPTXCompiler;
import jcuda.nvptxcompiler.nvPTXCompileResult;
import jcuda.nvptxcompiler.nvPTXCompilerHandle;

/// The assembler of a driver, without a driver or a device: the one that JCuda's natives contain.
final class PtxAssembler {
  private static final String TEMPORARY = "java.io.tmpdir";
  private static final Pattern ENTRY =
      Pattern.compile(
          "entry function '(\\w+)'.*?(\\d+) bytes stack frame, (\\d+) bytes spill stores,"
              + " (\\d+) bytes spill loads.*?Used (\\d+) registers",
          Pattern.DOTALL);

  // JCuda unpacks its natives into the temporary folder, and would load what lies there. So they
  // go into a folder that only this process may use, and that is gone once they are loaded.
  static {
    String before = System.getProperty(TEMPORARY);
    try {
      Path folder = Files.createTempDirectory("jcuda");
      System.setProperty(TEMPORARY, folder.toString());
      JNvPTXCompiler.setExceptionsEnabled(false);
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      System.setProperty(TEMPORARY, before);
    }
  }

  private PtxAssembler() {}

  /// What an entry takes on a device.
  ///
  /// @param registers of each thread
  /// @param localBytes of stack and spilled registers
  record Use(int registers, int localBytes) {}

  /// @param device such as `sm_90`
  /// @return of each entry, by its name
  /// @throws IllegalArgumentException if the assembler refuses the text; the message has its log
  static Map<String, Use> assemble(String ptx, String device) {
    byte[] text = ptx.getBytes(StandardCharsets.US_ASCII);
    nvPTXCompilerHandle compiler = new nvPTXCompilerHandle();
    check(JNvPTXCompiler.nvPTXCompilerCreate(compiler, text.length, text));
    try {
      String[] options = {"--gpu-name=" + device, "--verbose"};
      int result = JNvPTXCompiler.nvPTXCompilerCompile(compiler, options.length, options);
      if (result != nvPTXCompileResult.NVPTXCOMPILE_SUCCESS) {
        throw new IllegalArgumentException(errors(compiler));
      }
      return uses(notes(compiler));
    } finally {
      check(JNvPTXCompiler.nvPTXCompilerDestroy(compiler));
    }
  }

  private static Map<String, Use> uses(String notes) {
    Map<String, Use> uses = new LinkedHashMap<>();
    Matcher entry = ENTRY.matcher(notes);
    while (entry.find()) {
      int local =
          Integer.parseInt(entry.group(2))
              + Integer.parseInt(entry.group(3))
              + Integer.parseInt(entry.group(4));
      uses.put(entry.group(1), new Use(Integer.parseInt(entry.group(5)), local));
    }
    return uses;
  }

  private static String errors(nvPTXCompilerHandle compiler) {
    long[] size = new long[1];
    check(JNvPTXCompiler.nvPTXCompilerGetErrorLogSize(compiler, size));
    byte[] log = new byte[(int) size[0] + 1];
    check(JNvPTXCompiler.nvPTXCompilerGetErrorLog(compiler, log));
    return new String(log, StandardCharsets.US_ASCII).strip();
  }

  private static String notes(nvPTXCompilerHandle compiler) {
    long[] size = new long[1];
    check(JNvPTXCompiler.nvPTXCompilerGetInfoLogSize(compiler, size));
    byte[] log = new byte[(int) size[0] + 1];
    check(JNvPTXCompiler.nvPTXCompilerGetInfoLog(compiler, log));
    return new String(log, StandardCharsets.US_ASCII).strip();
  }

  private static void check(int result) {
    if (result != nvPTXCompileResult.NVPTXCOMPILE_SUCCESS) {
      throw new IllegalStateException(nvPTXCompileResult.stringFor(result));
    }
  }
}
