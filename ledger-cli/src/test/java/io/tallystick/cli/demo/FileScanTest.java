package io.tallystick.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Goal: each file is found under a path of its own, and a scan that stopped early says so. Method:
/// names of raw bytes, made through their URI.
class FileScanTest {
  @TempDir private Path folder;

  @Test
  @EnabledOnOs(OS.LINUX)
  void namesThatAreNotUtf8StayDistinct() throws Exception {
    Files.createDirectory(folder.resolve("s"));
    for (String raw : new String[] {"a%FF", "a%FE", "a%25FF", "s/%C3%A4%C3.txt", "s%5Cb", "s/b"}) {
      Files.writeString(Path.of(URI.create(folder.toUri() + raw)), "same");
    }
    assertThat(FileScan.scan(folder, FileScan.FILES_MAX).files())
        .extracting(NotarisedFile::path)
        .containsExactlyInAnyOrder("a%FF", "a%FE", "a%25FF", "s/\u00e4%C3.txt", "s\\b", "s/b");
  }

  @Test
  void saysWhenThereAreMoreFilesThanItTakes() throws Exception {
    for (int i = 0; i < 3; i++) {
      Files.writeString(folder.resolve("f" + i), "x");
    }
    assertThat(FileScan.scan(folder, 2).describe()).isEqualTo("the first 2 files");
    assertThat(FileScan.scan(folder, 3).describe()).isEqualTo("3 files");
  }
}
