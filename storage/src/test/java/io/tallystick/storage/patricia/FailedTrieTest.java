package io.tallystick.storage.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: a store whose savepoint broke off is not used on: what it would save next could refer to
/// slots that were never written. Reads go on, and a store opened from the disk is as the last
/// savepoint left it.
class FailedTrieTest {
  private final InMemoryDisk kept = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(2, "failed");
  private final SplittableRandom random = new SplittableRandom(5);
  private final List<Digest> known = new ArrayList<>();

  /// Operations of the disk before one fails; endless at first.
  private int operationsLeft = Integer.MAX_VALUE;

  private final class FailingDisk extends ForwardingDisk {
    FailingDisk() {
      super(kept);
    }

    @Override
    public DiskFile open(String name) throws IOException {
      return new FailingFile(super.open(name));
    }
  }

  private final class FailingFile extends ForwardingFile {
    FailingFile(DiskFile file) {
      super(file);
    }

    @Override
    public void write(long position, ByteBuffer from) throws IOException {
      spend();
      super.write(position, from);
    }

    @Override
    public void force() throws IOException {
      spend();
      super.force();
    }
  }

  private void spend() throws IOException {
    if (operationsLeft-- <= 0) {
      throw new IOException("the disk failed for test");
    }
  }

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private Digest saved(Tries tries, int count) throws Exception {
    grow(tries, count);
    tries.savepoint(tries.trie());
    return tries.trie().view().root();
  }

  private void grow(Tries tries, int count) throws Exception {
    tries.trie().apply(Tries.batch(Tries.pairs(known, count, random)));
  }

  /// Enough nodes for a write while nodes are saved, before the savepoint of the slots forces.
  @Test
  void nothingIsEditedOrSavedAfterAWriteFailed() throws Exception {
    for (int operations = 0; operations < 12; operations++) {
      operationsLeft = Integer.MAX_VALUE;
      try (Tries tries = Tries.open(new FailingDisk(), meta, workers, 50)) {
        Digest before = saved(tries, 100);
        grow(tries, 3000);
        Digest root = tries.trie().view().root();
        Digest newest = known.getLast();
        operationsLeft = operations;
        assertThatThrownBy(() -> tries.savepoint(tries.trie()))
            .as("after %d operations", operations)
            .isInstanceOf(IOException.class);
        operationsLeft = Integer.MAX_VALUE;
        assertUnusable(tries);
        assertThat(tries.trie().view().root()).isEqualTo(root);
        try (TrieView.Reader reader = tries.trie().view().open().orElseThrow()) {
          assertThat(reader.get(newest)).isPresent();
        }
        try (Tries again = Tries.open(kept, meta, workers, 50)) {
          assertThat(again.trie().view().root()).isEqualTo(before);
        }
      }
    }
  }

  private void assertUnusable(Tries tries) throws Exception {
    PatriciaTrie trie = tries.trie();
    assertThatThrownBy(() -> grow(tries, 10)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> trie.savepoint(new MetaBatch()))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> tries.store().savepoint(new MetaBatch()))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> tries.store().slots().savepoint(new MetaBatch(), meta))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> tries.store().slots().next(70))
        .isInstanceOf(IllegalStateException.class);
  }

  /// What an old version gave up is gone from the meta store: the savepoint that would free it
  /// cannot be right.
  @Test
  void nothingIsEditedOrSavedAfterAnInconsistentSavepoint() throws Exception {
    try (Tries tries = Tries.open(kept, meta, workers, 50)) {
      saved(tries, 100);
      saved(tries, 100);
      List<Bytes> rows = new ArrayList<>();
      byte[] prefix = "slots/patricia\2".getBytes(StandardCharsets.US_ASCII);
      meta.scan(Bytes.wrap(prefix), null, (key, _) -> rows.add(key));
      assertThat(rows).isNotEmpty();
      MetaBatch gone = new MetaBatch();
      rows.forEach(gone::delete);
      meta.write(gone);
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 5; i++) {
                  saved(tries, 100);
                }
              })
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("row is missing")
          .hasCauseInstanceOf(MalformedException.class);
      assertUnusable(tries);
    }
  }
}
