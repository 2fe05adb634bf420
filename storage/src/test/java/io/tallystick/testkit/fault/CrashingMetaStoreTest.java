package io.tallystick.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.contract.MetaStoreContract;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

class CrashingMetaStoreTest extends MetaStoreContract {
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");

  @Override
  protected MetaStore open() {
    return new CrashingMetaStore(CrashPlan.never());
  }

  @Override
  protected MetaStore reopen(MetaStore store) {
    return store;
  }

  @Seeded
  void crashesBeforeOrAfterABatchButNeverInside(SplittableRandom random) throws IOException {
    Set<Integer> rowsLeft = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      CrashPlan plan = CrashPlan.at(1, random.split());
      CrashingMetaStore store = new CrashingMetaStore(plan);
      store.write(new MetaBatch().put(B, A));
      assertThatThrownBy(() -> store.write(new MetaBatch().put(A, A).delete(B)))
          .isInstanceOf(CrashedException.class);
      assertThatThrownBy(() -> store.get(A)).isInstanceOf(CrashedException.class);
      InMemoryMetaStore after = store.afterCrash();
      assertThat(after.get(A) == null).isEqualTo(after.get(B) != null);
      rowsLeft.add(after.get(A) == null ? 0 : 1);
    }
    assertThat(rowsLeft).containsExactlyInAnyOrder(0, 1);
  }

  @Seeded
  void sharesOneCountWithTheDisk(SplittableRandom random) throws IOException {
    CrashPlan plan = CrashPlan.at(3, random);
    CrashingMetaStore store = new CrashingMetaStore(plan);
    CrashingDisk disk = new CrashingDisk(plan);
    DiskFile file = disk.open("f"); // 0
    store.write(new MetaBatch()); // 1
    file.force(); // 2
    assertThatThrownBy(() -> store.write(new MetaBatch())).isInstanceOf(CrashedException.class);
    assertThatThrownBy(file::force).isInstanceOf(CrashedException.class);
    assertThat(plan.fired()).isTrue();
    assertThat(plan.operations()).isEqualTo(4);
  }

  @Seeded
  void aBatchThatFindsTheDiskFullIsNotThere(SplittableRandom random) throws IOException {
    CrashingMetaStore store = new CrashingMetaStore(CrashPlan.diskFullAt(1, random));
    store.write(new MetaBatch().put(B, A));
    assertThatThrownBy(() -> store.write(new MetaBatch().put(A, A).delete(B)))
        .isInstanceOf(DiskFullException.class);
    assertThat(store.get(A)).isNull();
    assertThat(store.get(B)).isEqualTo(A);
    store.write(new MetaBatch().put(A, B));
    assertThat(store.get(A)).isEqualTo(B);
  }

  @Override
  protected MetaStore opened(Map<String, byte[]> files) throws IOException {
    return InMemoryMetaStore.opened(files);
  }
}
