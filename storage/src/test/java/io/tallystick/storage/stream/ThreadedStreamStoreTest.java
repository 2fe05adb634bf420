package io.tallystick.storage.stream;

import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.testkit.contract.Frames;
import io.tallystick.testkit.contract.StreamStoreContract;
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
  protected StreamStore open() {
    return LocalStreamStore.open(disk, Frames.DIRECTORY, Frames.SMALL);
  }
}
