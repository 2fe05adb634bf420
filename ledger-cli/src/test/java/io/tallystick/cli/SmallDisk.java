package io.tallystick.cli;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A file system of a few megabytes, and a file on it that takes the rest away and gives it back.
/// Where none may be mounted (a container, an ordinary user) its place is taken by a folder and the
/// controls of the {@link FaultyService}, which then says itself that there is no room.
final class SmallDisk implements AutoCloseable {
  private static final int STEP_BYTES = 1 << 16;

  final Path root;
  final boolean mounted;
  private final Controls controls;

  private SmallDisk(Path root, boolean mounted, Controls controls) {
    this.root = root;
    this.mounted = mounted;
    this.controls = controls;
  }

  static SmallDisk create(Path root, int mebibytes, Controls controls) throws IOException {
    Files.createDirectories(root);
    boolean mounted =
        run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", root.toString());
    if (!mounted) {
      System.err.println("no file system may be mounted here; simulated");
    }
    return new SmallDisk(root, mounted, controls);
  }

  /// Leaves no more than `bytes` free.
  void leave(long bytes) throws Exception {
    if (!mounted) {
      controls.setSpace(false);
      return;
    }
    Waiting.until("the rest of the disk is taken", () -> take(bytes));
  }

  /// @return whether no more than `left` are free. Not so if a write found no room where there is
  ///   some now: the service wanted the last pages at the same moment and gave them back.
  private boolean take(long left) throws IOException {
    byte[] step = new byte[STEP_BYTES];
    try (OutputStream ballast = Files.newOutputStream(ballast(), CREATE, APPEND)) {
      for (long free = freeBytes(); free > left; free = freeBytes()) {
        ballast.write(step, 0, (int) Math.min(step.length, free - left));
      }
    } catch (FileSystemException e) {
      throw e; // the file cannot be opened
    } catch (IOException e) {
      return freeBytes() <= left;
    }
    return true;
  }

  void giveBack() throws IOException {
    controls.setSpace(true);
    Files.deleteIfExists(ballast());
  }

  private long freeBytes() throws IOException {
    return Files.getFileStore(root).getUsableSpace();
  }

  private Path ballast() {
    return root.resolve("ballast");
  }

  private static boolean run(String... command) {
    try {
      Process process =
          new ProcessBuilder(List.of(command))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(Waiting.MAX.toSeconds(), TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // no such command
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    if (mounted && !run("umount", root.toString())) {
      run("umount", "-l", root.toString());
    }
  }
}
