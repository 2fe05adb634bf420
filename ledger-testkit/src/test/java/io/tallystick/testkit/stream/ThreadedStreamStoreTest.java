package io.tallystick.testkit.stream;

import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// On files, with the store's own threads.
class ThreadedStreamStoreTest extends StreamStoreContract {
  @TempDir private Path directory;
  private LocalDisk disk;

  @BeforeEach
  void openDisk() throws Exception {
    disk = LocalDisk.open(directory);
  }

  @AfterEach
  void closeDisk() throws Exception {
    disk.close();
  }

  @Override
  StreamStore open() {
    return LocalStreamStore.open(disk, Frames.DIRECTORY, Frames.SMALL);
  }
}
