package io.tallystick.cli;

import io.tallystick.gpu.Gpu;
import io.tallystick.hashing.GpuMode;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// `tally` in a process of its own on gpu-native's fake driver, which computes on the CPU.
/// Arguments behind those of the command: the driver's file, and which of the driver's calls fails,
/// counted from when the command has opened the device; 0 for none.
@SuppressWarnings("restricted") // the driver is built here
final class FakeGpu {
  private static final Linker LINKER = Linker.nativeLinker();

  private FakeGpu() {}

  public static void main(String[] args) throws Throwable {
    int words = args.length - 2;
    System.setProperty("tallystick.gpu.worthwhileMessages", "1");
    SymbolLookup driver = SymbolLookup.libraryLookup(Path.of(args[words]), Arena.global());
    int failing = Integer.parseInt(args[words + 1]);
    if (failing > 0) {
      failAt(driver, callsOfOpening(driver) + failing);
    }
    Tally.main(Arrays.copyOf(args, words));
  }

  private static long callsOfOpening(SymbolLookup driver) throws Throwable {
    MethodHandle calls =
        function(driver, "fake_calls", FunctionDescriptor.of(ValueLayout.JAVA_LONG));
    Path natives = Files.createTempDirectory("fake-gpu-");
    try (Gpu _ = Gpu.open(GpuMode.REQUIRE, natives, _ -> {})) {
      return (long) calls.invokeExact();
    } finally {
      Files.delete(natives);
    }
  }

  private static void failAt(SymbolLookup driver, long call) throws Throwable {
    MethodHandle set = function(driver, "fake_set", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
    try (Arena arena = Arena.ofConfined()) {
      set.invokeExact(arena.allocateFrom("fail_at=" + call));
    }
  }

  private static MethodHandle function(SymbolLookup driver, String name, FunctionDescriptor type) {
    return LINKER.downcallHandle(driver.find(name).orElseThrow(), type);
  }
}
