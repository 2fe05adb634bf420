package io.tallystick.storage.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.testkit.contract.DiskContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalDiskTest extends DiskContract {
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
