package io.tallystick.cluster.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.disk.LocalDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: folders of shards lose their images alone, and only while they are not open.
class LeftFoldersTest {
  @TempDir Path home;
  private LeftFolders folders;

  @BeforeEach
  void fill() throws Exception {
    folders = new LeftFolders(home);
    for (String file : new String[] {"00003/images/a.values", "00003/meta/b", "00012/meta/b"}) {
      Files.createDirectories(home.resolve(file).getParent());
      Files.writeString(home.resolve(file), "content");
    }
    Files.createDirectories(home.resolve("seen/images/c"));
  }

  @Test
  void imagesGoAndNothingElse() throws Exception {
    assertThat(folders.withImages()).containsExactly(3);
    folders.forgetImages(3);
    assertThat(folders.withImages()).isEmpty();
    assertThat(folders.of(3).resolve("meta/b")).hasContent("content");
    assertThat(home.resolve("seen/images/c")).exists();
  }

  @Test
  void whatIsOpenStays() throws Exception {
    try (LocalDisk _ = LocalDisk.open(folders.of(3))) {
      folders.forgetImages(3);
      assertThat(folders.withImages()).containsExactly(3);
    }
  }

  @Test
  void aServerThatHasHadNoShardHasNone() {
    assertThat(new LeftFolders(home.resolve("none")).withImages()).isEmpty();
  }
}
