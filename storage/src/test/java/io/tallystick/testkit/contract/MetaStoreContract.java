package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaCheckpoint;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every {@link MetaStore} must do.
public abstract class MetaStoreContract {
  protected MetaStore store;

  protected abstract MetaStore open() throws IOException;

  /// The same rows, after a clean close.
  protected abstract MetaStore reopen(MetaStore store) throws IOException;

  @BeforeEach
  void openStore() throws IOException {
    store = open();
  }

  @AfterEach
  void closeStore() throws IOException {
    store.close();
  }

  @Test
  void appliesABatchInOrder() throws IOException {
    store.write(new MetaBatch().put(row("61"), row("01")).put(row("62"), row("02")));
    store.write(
        new MetaBatch()
            .delete(row("61"))
            .delete(row("63"))
            .put(row("62"), row("03"))
            .put(row("62"), Bytes.EMPTY));
    assertThat(store.get(row("61"))).isNull();
    assertThat(store.get(row("62"))).isEqualTo(Bytes.EMPTY);
    assertThat(store.get(row("63"))).isNull();
  }

  @Test
  void keepsRowsWhenOpenedAgain() throws IOException {
    store.write(new MetaBatch().put(row("61"), row("01")));
    store = reopen(store);
    assertThat(store.get(row("61"))).isEqualTo(row("01"));
  }

  @Test
  void scansAPrefixInUnsignedOrder() throws IOException {
    store.write(
        new MetaBatch()
            .put(row("60ff"), row("00"))
            .put(row("61ff"), row("04"))
            .put(row("617f"), row("03"))
            .put(row("61"), row("01"))
            .put(row("6100"), row("02"))
            .put(row("62"), row("05")));
    assertThat(scan("61", null, 100)).containsExactly("61", "6100", "617f", "61ff");
    assertThat(scan("61", "61", 100)).containsExactly("6100", "617f", "61ff");
    assertThat(scan("61", "6101", 1)).containsExactly("617f");
    assertThat(scan("61", "60", 1)).containsExactly("61");
    assertThat(scan("61", "61ff", 100)).isEmpty();
    assertThat(scan("61", "99", 100)).isEmpty();
    assertThat(scan("", null, 100)).hasSize(6);
    assertThat(scan("ff", null, 100)).isEmpty();
  }

  @Test
  void scansWhatWasThereAtTheStart() throws IOException {
    store.write(new MetaBatch().put(row("6101"), row("01")).put(row("6102"), row("02")));
    List<String> seen = new ArrayList<>();
    store.scan(
        row("61"),
        null,
        (key, _) -> {
          store.write(new MetaBatch().put(row("6103"), row("03")).delete(row("6102")));
          return seen.add(key.hex());
        });
    assertThat(seen).containsExactly("6101", "6102");
    assertThat(scan("61", null, 100)).containsExactly("6101", "6103");
  }

  @Test
  void passesOnWhatTheVisitorThrows() throws IOException {
    store.write(new MetaBatch().put(row("61"), row("01")));
    assertThatThrownBy(() ->
            store.scan(
                row("61"),
                null,
                (_, _) -> {
                  throw new IOException("visitor");
                }))
        .hasMessage("visitor");
  }

  @Test
  void writesAnEmptyBatch() throws IOException {
    store.write(new MetaBatch());
    assertThat(scan("", null, 1)).isEmpty();
  }

  @Test
  void aCheckpointHasTheRowsOfItsMoment() throws IOException {
    store.write(new MetaBatch().put(row("61"), row("01")).put(row("62"), Bytes.EMPTY));
    Map<String, byte[]> files = new TreeMap<>();
    try (MetaCheckpoint rows = store.checkpoint()) {
      store.write(new MetaBatch().put(row("61"), row("02")).delete(row("62")));
      for (MetaCheckpoint.RowFile file : rows.files()) {
        ByteBuffer bytes = ByteBuffer.allocate((int) file.bytes());
        rows.read(file.name(), 0, bytes);
        assertThat(bytes.hasRemaining()).isFalse();
        files.put(file.name(), bytes.array());
      }
    }
    try (MetaStore again = opened(files)) {
      assertThat(again.get(row("61"))).isEqualTo(row("01"));
      assertThat(again.get(row("62"))).isEqualTo(Bytes.EMPTY);
    }
    assertThat(store.get(row("61"))).isEqualTo(row("02"));
    store.checkpoint().close();
  }

  /// Another store, of the files of a checkpoint.
  protected abstract MetaStore opened(Map<String, byte[]> files) throws IOException;

  private List<String> scan(String prefix, @Nullable String after, int rowsMax) throws IOException {
    List<String> keys = new ArrayList<>();
    store.scan(
        row(prefix),
        after == null ? null : row(after),
        (key, _) -> {
          keys.add(key.hex());
          return keys.size() < rowsMax;
        });
    return keys;
  }

  private static Bytes row(String hex) {
    return Bytes.fromHex(hex);
  }
}
