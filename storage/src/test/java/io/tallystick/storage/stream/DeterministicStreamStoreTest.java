package io.tallystick.storage.stream;

import io.tallystick.testkit.contract.Frames;
import io.tallystick.testkit.contract.StreamStoreContract;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.util.SplittableRandom;

/// On files in memory; what is not forced may not survive a death.
class DeterministicStreamStoreTest extends StreamStoreContract {
  private final SplittableRandom random = new SplittableRandom(20_261_127);
  private InMemoryDisk disk = new InMemoryDisk();

  @Override
  protected StreamStore open() {
    return Frames.store(disk);
  }

  @Override
  protected boolean dies(int operation, Work work) throws Exception {
    CrashPlan plan = CrashPlan.at(operation, random.split());
    CrashingDisk crashing = new CrashingDisk(disk, plan);
    try (StreamStore store = Frames.store(crashing)) {
      work.run(store);
    } catch (IOException e) {
      if (!plan.crashed()) {
        throw e;
      }
    }
    disk = crashing.afterCrash();
    return plan.crashed();
  }

  @Override
  protected int operationsApart() {
    return 1;
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
