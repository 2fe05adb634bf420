package io.tallystick.storage.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.testkit.contract.DiskContract;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalDiskTest extends DiskContract {
  private static final int STAT_BLOCK_BYTES = 512;

  @TempDir private Path directory;

  @Override
  protected Disk open() throws IOException {
    return LocalDisk.open(directory.resolve("not/yet/there"));
  }

  @Test
  void letsOnlyTheOwnerReadWhatItMakes() throws IOException {
    Path root = directory.resolve("mine");
    try (LocalDisk disk = LocalDisk.open(root);
        DiskFile _ = disk.open("a/b")) {
      assertThat(mode(root)).isEqualTo("rwx------");
      assertThat(mode(root.resolve("a"))).isEqualTo("rwx------");
      assertThat(mode(root.resolve("a/b"))).isEqualTo("rw-------");
      assertThat(mode(root.resolve("LOCK"))).isEqualTo("rw-------");
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void givesPunchedBlocksBack() throws Exception {
    int bytes = 256 * DiskFile.PAGE_BYTES;
    Path root = directory.resolve("punched");
    try (LocalDisk disk = LocalDisk.open(root);
        DiskFile file = disk.open("f")) {
      byte[] ones = new byte[bytes];
      Arrays.fill(ones, (byte) 1);
      file.write(0, ByteBuffer.wrap(ones));
      file.force();
      long before = allocated(root.resolve("f"));
      file.punch(10, bytes - 20L);
      file.force();
      assertThat(file.size()).isEqualTo(bytes);
      assertThat(before - allocated(root.resolve("f")))
          .isGreaterThanOrEqualTo(bytes - 2L * DiskFile.PAGE_BYTES);
      assertThatThrownBy(() -> file.punch(1, bytes)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  /// Bytes of the blocks that a file has, as stat(1) tells them.
  private static long allocated(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    String said = new String(stat.getInputStream().readAllBytes(), UTF_8);
    assertThat(stat.waitFor()).isZero();
    return Long.parseLong(said.trim()) * STAT_BLOCK_BYTES;
  }

  /// On a file system that turned read-only; for a user who may not mount one, a file without the
  /// permission to write.
  @Test
  void whatCannotBeWrittenIsRead() throws Exception {
    Path folder = Files.createDirectories(directory.resolve("root/in"));
    boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.toString());
    try (LocalDisk disk = LocalDisk.open(directory.resolve("root"))) {
      try (DiskFile file = disk.open("in/f")) {
        file.write(0, ByteBuffer.wrap(new byte[] {7}));
      }
      if (mounted) {
        assertThat(run("mount", "-o", "remount,ro", folder.toString())).isTrue();
      } else {
        Files.setPosixFilePermissions(
            folder.resolve("f"), PosixFilePermissions.fromString("r--------"));
        System.err.println("no file system may be mounted here; without permission instead");
      }
      try (DiskFile file = disk.open("in/f")) {
        ByteBuffer read = ByteBuffer.allocate(2);
        assertThat(file.read(0, read)).isEqualTo(1);
        assertThat(read.get(0)).isEqualTo((byte) 7);
        assertThatThrownBy(() -> file.write(0, ByteBuffer.allocate(1)))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("in/f can only be read");
      }
      if (mounted) {
        assertThatThrownBy(() -> disk.open("in/none").close())
            .isInstanceOf(FileSystemException.class);
        assertThat(disk.exists("in/none")).isFalse();
      }
    } finally {
      assertThat(!mounted || run("umount", folder.toString())).isTrue();
    }
  }

  private static boolean run(String... command) throws Exception {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false; // no such command
    }
  }

  @Test
  void keepsASecondOneOutAndNamesTheHolder() throws IOException {
    Path shared = directory.resolve("shared");
    try (LocalDisk _ = LocalDisk.open(shared)) {
      assertThatThrownBy(() -> LocalDisk.open(shared))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("in use by process " + ProcessHandle.current().pid());
    }
    try (LocalDisk again = LocalDisk.open(shared)) {
      assertThat(again.list("")).isEmpty();
    }
  }
}
