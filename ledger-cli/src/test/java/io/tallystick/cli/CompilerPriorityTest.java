package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Goal: in a process of `tally up` the optimising compiler gives way to all other threads, which
/// are as nice as the process was started. Method: the real process, and what Linux tells of it.
@EnabledOnOs(OS.LINUX)
class CompilerPriorityTest {
  private static final String COMPILER = "C2 CompilerThre";
  private static final int TRIES = 100;

  @TempDir private Path folder;

  @Test
  void onlyTheCompilerGivesWay() throws Exception {
    int own = nice(stat(Path.of("/proc/thread-self")));
    try (ServiceProcess service = ServiceProcess.start(folder.resolve("data"), log())) {
      Map<String, Integer> nice = threadsOnceLowered(service.pid(), own);
      assertThat(nice).containsKeys(COMPILER, "C1 CompilerThre", "java", "open-node");
      nice.forEach((name, it) -> {
        int expected = name.equals(COMPILER) ? Math.min(19, own + 5) : own;
        assertThat(it).as(name).isEqualTo(expected);
      });
    }
    assertThat(log()).content().doesNotContainIgnoringCase("warning");
  }

  private Path log() {
    return folder.resolve("log");
  }

  /// Lowering goes on beside the start.
  private static Map<String, Integer> threadsOnceLowered(long pid, int own) throws Exception {
    Map<String, Integer> nice = threads(pid);
    for (int i = 0; i < TRIES && Integer.valueOf(own).equals(nice.get(COMPILER)); i++) {
      Thread.sleep(100);
      nice = threads(pid);
    }
    return nice;
  }

  /// The nice value of each thread, by name.
  private static Map<String, Integer> threads(long pid) throws IOException {
    Map<String, Integer> nice = new HashMap<>();
    try (Stream<Path> threads = Files.list(Path.of("/proc", String.valueOf(pid), "task"))) {
      for (Path thread : threads.toList()) {
        String stat = stat(thread);
        nice.put(stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')')), nice(stat));
      }
    }
    return nice;
  }

  private static String stat(Path thread) throws IOException {
    return Files.readString(thread.resolve("stat"));
  }

  private static int nice(String stat) {
    return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[16]);
  }
}
