package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A data directory with a cold one is opened with it and never without it, whoever opens it.
class ColdDirectoryTest {
  private static final String PARTITION = "forest/strand/0-0.part";

  @TempDir private Path home;

  private Path data() {
    return home.resolve("data");
  }

  private Path cold() {
    return home.resolve("cold");
  }

  private Path name(String text) throws IOException {
    Files.createDirectories(data());
    return Files.writeString(data().resolve(ColdDirectory.FILE), text);
  }

  private static void write(Disk disk, String name) throws IOException {
    try (DiskFile file = disk.open(name)) {
      file.force();
    }
  }

  @Test
  void partitionsAreThereAndNothingElse() throws Exception {
    Files.createDirectory(cold());
    name(cold() + "\n");
    try (NodeParts parts = NodeParts.local(data(), BatchHasher.cpu())) {
      write(parts.disk(), PARTITION);
      write(parts.disk(), "forest/2048.slots");
    }
    assertThat(cold().resolve(PARTITION)).exists();
    assertThat(data().resolve(PARTITION)).doesNotExist();
    assertThat(data().resolve("forest/2048.slots")).exists();
    try (NodeParts parts = NodeParts.local(data(), BatchHasher.cpu())) {
      assertThat(parts.disk().list("forest/strand")).containsExactly("0-0.part");
    }
  }

  @Test
  void isNeverForgotten() throws Exception {
    Files.createDirectory(cold());
    Path file = name(cold().toString());
    NodeParts.local(data(), BatchHasher.cpu()).close();
    Files.delete(file);
    refused("cold.directory is missing");
    name(Files.createDirectory(home.resolve("not mounted")).toString());
    refused("cold.id is missing");
    name(cold().toString());
    NodeParts.local(data(), BatchHasher.cpu()).close();
  }

  @Test
  void refusesWhatNamesNoDirectory() throws Exception {
    name("");
    refused("has 0 lines, want 1");
    name("/tmp\n/var\n");
    refused("has 2 lines, want 1");
    name("cold");
    refused("names cold, want the absolute path of a directory");
    name(cold().toString());
    refused("want the absolute path of a directory");
    Files.delete(data().resolve(ColdDirectory.FILE));
    NodeParts.local(data(), BatchHasher.cpu()).close();
  }

  /// Each time the locks are free again.
  private void refused(String why) {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> NodeParts.local(data(), BatchHasher.cpu()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(why);
    }
  }

  @Test
  void aColdDirectoryIsHeldAlone() throws Exception {
    Files.createDirectory(cold());
    name(cold().toString());
    try (NodeParts _ = NodeParts.local(data(), BatchHasher.cpu())) {
      assertThatThrownBy(() -> LocalDisk.open(cold()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("in use");
    }
  }
}
