package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.RocksMetaStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a meta store that met a full disk has lost nothing, says so, and goes on once it is opened
/// again. Method: RocksDB on a file system of a few megabytes that is filled to its last page.
/// Where none may be mounted there is nothing to fill; then only what is left of it is checked.
class FullMetaStoreTest {
  private static final int DISK_MIB = 64;
  private static final int BATCH_BYTES = 1 << 18;
  private static final int BATCHES_MAX = 1000;

  @TempDir private Path home;
  private final Random random = new Random(1);

  private static Bytes key(int batch) {
    return Bytes.utf8(String.format(Locale.ROOT, "row %06d", batch));
  }

  private Bytes value() {
    byte[] value = new byte[BATCH_BYTES];
    random.nextBytes(value); // nothing that compresses
    return Bytes.wrap(value);
  }

  @Test
  void losesNothingAtAFullDiskAndGoesOnOnceItIsOpenedAgain() throws Exception {
    Controls controls = new Controls(Files.createDirectory(home.resolve("control")));
    try (SmallDisk disk = SmallDisk.create(home.resolve("disk"), DISK_MIB, controls);
        RocksMetaStore store = RocksMetaStore.open(disk.root.resolve("meta"))) {
      store.write(new MetaBatch().put(key(0), value()));
      disk.leave(0);
      int written = disk.mounted ? writeUntilFull(store) : 1;
      if (disk.mounted) {
        MetaBatch next = new MetaBatch().put(key(written), value());
        assertThatThrownBy(() -> store.write(next))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("an earlier write failed");
      }
      assertThat(store.get(key(0))).as("reads go on").isNotNull();
      disk.giveBack();
      store.reopen();
      for (int batch = 0; batch < written; batch++) {
        assertThat(store.get(key(batch))).as("batch %d", batch).isNotNull();
      }
      store.write(new MetaBatch().put(key(BATCHES_MAX), value()));
      assertThat(store.get(key(BATCHES_MAX))).isNotNull();
    }
  }

  /// @return how many batches were written before
  private int writeUntilFull(RocksMetaStore store) throws IOException {
    for (int batch = 1; batch < BATCHES_MAX; batch++) {
      try {
        store.write(new MetaBatch().put(key(batch), value()));
      } catch (DiskFullException e) {
        return batch;
      }
    }
    throw new AssertionError("the disk never filled up");
  }
}
