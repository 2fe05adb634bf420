package io.tallystick.proxy;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// The scheduling priority of the JVM's optimising compiler (C2), on Linux. While a service starts
/// it would take a third of two processors from the threads that everybody waits for, and compile
/// what runs once.
public final class CompilerPriority {
  /// How much nicer the compiler is than the threads that serve: it gets a third of what one of
  /// them gets. With less, a service that is busy from its first second would be slow for long.
  private static final int NICER = 5;

  private static final int NICE_MAX = 19;
  private static final Path THREADS = Path.of("/proc/self/task");
  private static final String COMPILER = "C2 CompilerThre"; // Linux keeps 15 characters
  private static final int NICE_FIELD = 16; // of those behind the name, from 0
  private static final int PRIO_PROCESS = 0;

  private CompilerPriority() {}

  /// Lowers it for the life of this process, which is to do nothing but serve. Returns at once.
  /// Where it cannot be lowered all stays as it is, which costs speed only.
  public static void lower() {
    Thread lowering =
        Thread.ofPlatform()
            .name("compiler-priority")
            .daemon()
            .unstarted(CompilerPriority::lowerAll);
    lowering.setUncaughtExceptionHandler((_, _) -> {});
    lowering.start();
  }

  private static void lowerAll() {
    if (!Files.isDirectory(THREADS)) {
      return;
    }
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
      MethodHandle setPriority = setPriority();
      for (Path thread : threads) {
        String stat = stat(thread);
        if (stat.contains("(" + COMPILER + ")")) {
          int nice = Math.min(NICE_MAX, nice(stat) + NICER);
          int _ = (int) setPriority.invokeExact(PRIO_PROCESS, id(thread), nice);
        }
      }
    } catch (Throwable e) {
      throw new IllegalStateException("cannot lower the compiler's priority", e);
    }
  }

  @SuppressWarnings("restricted") // native code, of the C library
  private static MethodHandle setPriority() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("setpriority"),
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT));
  }

  /// `proc(5)`; empty if the thread has ended.
  private static String stat(Path thread) {
    try {
      return Files.readString(thread.resolve("stat"));
    } catch (IOException _) {
      return "";
    }
  }

  private static int nice(String stat) {
    String behindName = stat.substring(stat.lastIndexOf(')') + 2);
    return Integer.parseInt(behindName.split(" ", -1)[NICE_FIELD]);
  }

  private static int id(Path thread) {
    return Integer.parseInt(String.valueOf(thread.getFileName()));
  }
}
