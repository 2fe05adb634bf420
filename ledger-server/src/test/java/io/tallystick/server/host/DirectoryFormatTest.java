package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.hashing.BatchHasher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: older software does not start on a data directory that has what it would overlook. Method:
/// the parts of a directory on disk, opened again after its number was changed.
class DirectoryFormatTest {
  @TempDir private Path directory;

  private Path file() {
    return directory.resolve(DirectoryFormat.FILE);
  }

  @Test
  void aNewDirectoryHasThisFormatAndKeepsIt() throws Exception {
    NodeParts.local(directory, BatchHasher.cpu()).close();
    assertThat(file()).hasContent("tallystick-data 2");
    NodeParts.local(directory, BatchHasher.cpu()).close();
    assertThat(file()).hasContent("tallystick-data 2");
  }

  @Test
  void aNewerOrUnreadableFormatIsRefusedByName() throws Exception {
    NodeParts.local(directory, BatchHasher.cpu()).close();
    Files.writeString(file(), "tallystick-data 3\n");
    assertThatThrownBy(() -> NodeParts.local(directory, BatchHasher.cpu()))
        .isInstanceOf(IOException.class)
        .hasMessage(
            directory
                + " has format 3, which is newer than what this software knows, 2; nothing was changed");
    for (String other : new String[] {"", "1", "tallystick-data 0", "tallystick-data 1234567890"}) {
      Files.writeString(file(), other);
      assertThatThrownBy(() -> NodeParts.local(directory, BatchHasher.cpu()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file() + " is not \"tallystick-data\" and a number");
    }
  }

  /// A frame of format 2 follows: software that does not know it must not start here again.
  @Test
  void anOlderFormatIsRaised() throws Exception {
    Files.writeString(file(), "tallystick-data 1\n");
    NodeParts.local(directory, BatchHasher.cpu()).close();
    assertThat(file()).hasContent("tallystick-data 2");
  }
}
