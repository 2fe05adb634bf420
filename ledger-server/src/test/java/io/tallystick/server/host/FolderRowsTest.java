package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rows whose files are changed below them.
class FolderRowsTest {
  private static final Bytes KEY = Bytes.utf8("key");

  @TempDir Path home;

  private void write(String folder, String value) throws IOException {
    try (FolderRows rows = FolderRows.open(home.resolve(folder))) {
      MetaBatch batch = new MetaBatch();
      batch.put(KEY, Bytes.utf8(value));
      rows.write(batch);
    }
  }

  private static final class UnclosedRows implements MetaStore {
    @Override
    public @Nullable Bytes get(Bytes key) {
      return null;
    }

    @Override
    public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) {}

    @Override
    public void write(MetaBatch batch) {}

    @Override
    public void close() throws IOException {
      throw new IOException("not cleanly");
    }
  }

  /// What is in the folder then is another's.
  @Test
  void aChangeIsRunAlthoughTheRowsDoNotClose() throws Exception {
    write("rows", "new");
    List<MetaStore> first = new ArrayList<>(List.of(new UnclosedRows()));
    FolderRows.Opener opener =
        () -> first.isEmpty() ? RocksMetaStore.open(home.resolve("rows")) : first.removeFirst();
    List<String> done = new ArrayList<>();
    try (FolderRows rows = FolderRows.open(opener)) {
      rows.change(() -> done.add("changed"));
      assertThat(done).containsExactly("changed");
      assertThat(rows.get(KEY)).isEqualTo(Bytes.utf8("new"));
    }
  }

  /// In between nothing may be opened: there may be no files, and new ones would be in the way.
  @Test
  void aChangeThatFailsIsRunAgainBeforeTheRowsAreOpened() throws Exception {
    write("old", "old");
    write("new", "new");
    Path there = home.resolve("rows");
    Files.move(home.resolve("old"), there);
    boolean[] fails = {true};
    try (FolderRows rows = FolderRows.open(there)) {
      assertThat(rows.get(KEY)).isEqualTo(Bytes.utf8("old"));
      FolderRows.Change change =
          () -> {
            if (Files.exists(there)) {
              Files.move(there, home.resolve("gone"));
            }
            if (fails[0]) {
              throw new IOException("cut short");
            }
            Files.move(home.resolve("new"), there);
          };
      assertThatThrownBy(() -> rows.change(change)).hasMessage("cut short");
      assertThatThrownBy(() -> rows.get(KEY)).isInstanceOf(IOException.class);
      assertThatThrownBy(rows::reopen).hasMessage("cut short");
      assertThat(there).doesNotExist();
      fails[0] = false;
      rows.reopen();
      assertThat(rows.get(KEY)).isEqualTo(Bytes.utf8("new"));
      rows.reopen();
    }
  }
}
