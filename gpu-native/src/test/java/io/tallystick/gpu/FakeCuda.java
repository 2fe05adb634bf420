package io.tallystick.gpu;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.OptionalInt;

/// The fake driver (`src/test/cpp/fakecuda.cpp`) in this process. It is loaded before anybody asks
/// for `libcuda.so.1`, and is then what the system's loader has under that name. There is one, for
/// all tests; {@link #set} makes it new, and each test frees what it made.
@SuppressWarnings("restricted") // the library is built here
final class FakeCuda {
  /// Small enough that calls of tests are cut.
  static final RingSizes SMALL = new RingSizes(1 << 16, 1 << 20);

  private static final FakeCuda SHARED = new FakeCuda();

  private final Path folder = Path.of("target", "fake-cuda").toAbsolutePath();
  private final MethodHandle set;
  private final MethodHandle failed;
  private final SymbolLookup library;

  private FakeCuda() {
    build(folder);
    library = SymbolLookup.libraryLookup(folder.resolve("libcuda.so.1"), Arena.global());
    set = function("fake_set", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
    failed = function("fake_failed", FunctionDescriptor.of(ValueLayout.ADDRESS));
  }

  /// Once for all test processes.
  private static void build(Path folder) {
    try {
      Files.createDirectories(folder);
      Path log = folder.resolve("log");
      try (FileChannel lock =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        lock.lock();
        int status =
            new ProcessBuilder("../gpu-native/src/test/cpp/build-fake", folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        if (status != 0) {
          throw new AssertionError("the fake driver cannot be built\n" + Files.readString(log));
        }
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private MethodHandle function(String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(library.find(name).orElseThrow(), type);
  }

  /// It takes 4 seconds the first time.
  ///
  /// @param settings as the source says
  static FakeCuda set(String settings) {
    try (Arena arena = Arena.ofConfined()) {
      SHARED.set.invokeExact(arena.allocateFrom(settings));
      return SHARED;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /// Where the library is, for other processes.
  Path folder() {
    return folder;
  }

  private long number(String name) {
    try {
      return (long) function(name, FunctionDescriptor.of(ValueLayout.JAVA_LONG)).invokeExact();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /// Of the driver, since it was set.
  long calls() {
    return number("fake_calls");
  }

  long launches() {
    return number("fake_launches");
  }

  /// The function whose call was made to fail; empty if none was.
  String failed() {
    try {
      MemorySegment name = (MemorySegment) failed.invokeExact();
      return name.reinterpret(Long.MAX_VALUE).getString(0).replace("_v2", "");
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /// All that is not freed: page-locked bytes, bytes of the device, and how many contexts, modules
  /// and streams.
  String held() {
    return number("fake_pinned_bytes")
        + " pinned, "
        + number("fake_device_bytes")
        + " on the device, "
        + number("fake_handles")
        + " handles";
  }

  static final String NOTHING = "0 pinned, 0 on the device, 0 handles";

  /// How the tests use it: small memory, each call to the device.
  static CudaSettings settings() {
    return settings(SMALL, Duration.ofSeconds(10));
  }

  static CudaSettings settings(RingSizes sizes, Duration waitMax) {
    return new CudaSettings("libcuda.so.1", sizes, waitMax, OptionalInt.of(1));
  }
}
