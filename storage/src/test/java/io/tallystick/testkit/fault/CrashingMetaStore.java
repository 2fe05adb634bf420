package io.tallystick.testkit.fault;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A meta store that crashes with its {@link CrashPlan}: a batch in which that happens is there
/// afterwards as a whole or not at all; one that finds the disk full is not there. After the crash
/// every call but `close` throws {@link CrashedException}.
public final class CrashingMetaStore implements MetaStore {
  private final InMemoryMetaStore rows;
  private final CrashPlan plan;

  public CrashingMetaStore(CrashPlan plan) {
    this(new InMemoryMetaStore(), plan);
  }

  /// Goes on from what survived an earlier crash; `base` is copied.
  public CrashingMetaStore(InMemoryMetaStore base, CrashPlan plan) {
    this.rows = base.copy();
    this.plan = plan;
  }

  /// What a crash at this moment leaves.
  public InMemoryMetaStore afterCrash() {
    return rows.copy();
  }

  @Override
  public @Nullable Bytes get(Bytes key) throws IOException {
    plan.requireRunning();
    return rows.get(key);
  }

  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    plan.requireRunning();
    rows.scan(prefix, after, visitor);
  }

  @Override
  public void write(MetaBatch batch) throws IOException {
    CrashPlan.Fault fault = plan.begin(false, true);
    if (fault == CrashPlan.Fault.DISK_FULL) {
      throw new DiskFullException("no room for a batch, by plan");
    }
    boolean crash = fault == CrashPlan.Fault.CRASH;
    if (!crash || plan.random().nextBoolean()) {
      rows.write(batch);
    }
    if (crash) {
      plan.requireRunning();
    }
  }

  @Override
  public void close() {}
}
