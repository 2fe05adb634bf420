package io.tallystick.storage.stream;

import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.testkit.contract.Frames;
import io.tallystick.testkit.contract.StreamStoreContract;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.DyingDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// On files, with the store's own threads; a process is killed and the machine goes on.
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

  @Override
  protected boolean dies(int operation, Work work) throws Exception {
    CrashPlan plan = CrashPlan.at(operation, new SplittableRandom(operation));
    try (StreamStore store =
        LocalStreamStore.open(new DyingDisk(disk, plan), Frames.DIRECTORY, Frames.SMALL)) {
      work.run(store);
    } catch (IOException e) {
      if (!plan.crashed()) {
        throw e;
      }
    }
    return plan.crashed();
  }

  /// Each is forced to a disk: some of them are enough.
  @Override
  protected int operationsApart() {
    return 11;
  }

  @Override
  protected void damage(StreamId id, Location at) throws IOException {
    LocalFaults.damage(disk, id, at);
  }

  @Override
  protected void tear(StreamId id, Location from) throws IOException {
    LocalFaults.tear(disk, id, from);
  }
}
