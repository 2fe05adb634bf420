package io.tallystick.storage.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.testkit.contract.MetaStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksMetaStoreTest extends MetaStoreContract {
  @TempDir private Path directory;

  @Override
  protected MetaStore open() throws IOException {
    return RocksMetaStore.open(directory.resolve("not/yet/there"));
  }

  @Override
  protected MetaStore reopen(MetaStore store) throws IOException {
    store.close();
    return open();
  }

  @Override
  protected MetaStore opened(Map<String, byte[]> files) throws IOException {
    Path folder = Files.createDirectory(directory.resolve("copy"));
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Files.write(folder.resolve(file.getKey()), file.getValue());
    }
    return RocksMetaStore.open(folder);
  }

  @Test
  void forgetsTheCheckpointOfAProcessThatDied() throws IOException {
    MetaCheckpoint left = store.checkpoint();
    Path beside = directory.resolve("not/yet/there.checkpoint");
    assertThat(beside).isNotEmptyDirectory();
    assertThatThrownBy(this::open).isInstanceOf(IOException.class);
    assertThat(beside).as("of a process that lives").isNotEmptyDirectory();
    store = reopen(store);
    assertThat(beside).doesNotExist();
    left.close();
  }

  @Test
  void refusesAllCallsOnceClosed() throws IOException {
    store.close();
    store.close();
    assertThatThrownBy(() -> store.get(Bytes.EMPTY)).hasMessageContaining("closed");
    assertThatThrownBy(() -> store.write(new MetaBatch())).hasMessageContaining("closed");
    assertThatThrownBy(() -> store.scan(Bytes.EMPTY, null, (_, _) -> true))
        .hasMessageContaining("closed");
  }

  /// The first file that is written goes to a device that is always full.
  @Test
  void saysWhatToDoWhenThereIsNoRoomToOpenIt() throws IOException {
    Path full = Files.createDirectory(directory.resolve("full"));
    Files.createSymbolicLink(full.resolve("000001.dbtmp"), Path.of("/dev/full"));
    assertThatThrownBy(() -> RocksMetaStore.open(full))
        .isInstanceOf(DiskFullException.class)
        .hasMessageStartingWith("cannot open the meta store in " + full)
        .hasMessageEndingWith("; free some room on that disk (64 MiB is enough) and start again");
  }

  @Test
  void isOpenOnlyOnce() {
    assertThatThrownBy(this::open).isInstanceOf(IOException.class);
  }
}
