package io.tallystick.storage.disk;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Locale;

/// Punches holes into files: fallocate(2), for which the JDK has no call. It needs a descriptor,
/// and a channel does not show its own, so the file is opened once more.
final class Holes {
  private static final int OPEN_READ_WRITE_CLOSE_ON_EXEC = 0x80002;
  private static final int KEEP_SIZE_AND_PUNCH = 0x3;
  private static final int INTERRUPTED = 4;
  private static final int NOT_IMPLEMENTED = 38;
  private static final int NOT_SUPPORTED = 95;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
  private static final VarHandle ERRNO_OF =
      Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle OPEN =
      handle(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
          ERRNO,
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle FALLOCATE =
      handle(
          "fallocate",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG),
          ERRNO);

  private Holes() {}

  /// Native access is granted to the whole service on its command line.
  @SuppressWarnings("restricted")
  private static MethodHandle handle(
      String name, FunctionDescriptor type, Linker.Option... options) {
    return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), type, options);
  }

  /// @return false if the file system has no holes; nothing was changed then
  static boolean punch(Path path, long position, long bytes) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
      MemorySegment name = arena.allocateFrom(path.toString());
      int descriptor = (int) OPEN.invokeExact(state, name, OPEN_READ_WRITE_CLOSE_ON_EXEC);
      if (descriptor < 0) {
        throw new IOException(
            String.format(Locale.ROOT, "cannot open %s: errno %d", path, errno(state)));
      }
      try {
        return punch(path, state, descriptor, position, bytes);
      } finally {
        int _ = (int) CLOSE.invokeExact(descriptor);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a native call throws nothing", e);
    }
  }

  private static boolean punch(
      Path path, MemorySegment state, int descriptor, long position, long bytes) throws Throwable {
    while (true) {
      int result =
          (int) FALLOCATE.invokeExact(state, descriptor, KEEP_SIZE_AND_PUNCH, position, bytes);
      if (result == 0) {
        return true;
      }
      int errno = errno(state);
      if (errno == NOT_SUPPORTED || errno == NOT_IMPLEMENTED) {
        return false;
      }
      if (errno != INTERRUPTED) {
        throw new IOException(
            String.format(
                Locale.ROOT,
                "cannot punch %d bytes at %d of %s: errno %d",
                bytes,
                position,
                path,
                errno));
      }
    }
  }

  private static int errno(MemorySegment state) {
    return (int) ERRNO_OF.get(state, 0L);
  }
}
