package io.tallystick.bench.figure;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Says what a benchmark ran on.
public final class ThisMachine {
  private ThisMachine() {}

  public static BenchReport.Machine describe() {
    return new BenchReport.Machine(
        Runtime.getRuntime().availableProcessors(),
        valueOf(Path.of("/proc/cpuinfo"), "model name"),
        memoryBytes(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vendor") + " " + Runtime.version());
  }

  /// What all threads of this process have used.
  public static long processorNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private static long memoryBytes() {
    String total = valueOf(Path.of("/proc/meminfo"), "MemTotal").replaceAll("[^0-9]", "");
    return total.isEmpty() ? 0 : Long.parseLong(total) * 1024;
  }

  private static String valueOf(Path file, String name) {
    try {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith(name)) {
          return line.substring(line.indexOf(':') + 1).strip();
        }
      }
    } catch (IOException _) {
      // Not a Linux machine.
    }
    return "unknown";
  }

  /// The commit of the sources under `root`, with `+` when they differ from it.
  public static String commit(Path root) {
    String commit = git(root, "rev-parse", "--short=12", "HEAD");
    if (commit.isEmpty()) {
      return "unknown";
    }
    return git(root, "status", "--porcelain", "--untracked-files=no").isEmpty()
        ? commit
        : commit + "+";
  }

  private static String git(Path root, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add("git");
    command.add("-C");
    command.add(root.toString());
    command.addAll(List.of(arguments));
    try {
      Process git =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String printed = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return git.waitFor(5, TimeUnit.SECONDS) && git.exitValue() == 0 ? printed.strip() : "";
    } catch (IOException _) {
      return "";
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
