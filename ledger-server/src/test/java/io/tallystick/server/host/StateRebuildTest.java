package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.DraftOp;
import io.tallystick.model.Bytes;
import io.tallystick.node.StateQuery;
import io.tallystick.node.StateReads;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal and method: those of the contract, for a ledger's state.
class StateRebuildTest extends IndexRebuildContract {
  private static final int KEYS = 23;
  private static final int BEFORE = 70;

  StateRebuildTest() {
    super(Fixtures.ledger().withSmallState());
  }

  private static Bytes key(int i) {
    return Bytes.utf8("key " + i % KEYS);
  }

  @Override
  void fill(TestNode node) throws Exception {
    for (int i = 0; i < BEFORE; i++) {
      append(node, i);
    }
  }

  @Override
  void append(TestNode node, int i) throws Exception {
    DraftOp first = DraftOp.put(key(i), Bytes.utf8("value " + i));
    DraftOp second = i % 5 == 0 ? DraftOp.delete(key(i + 9)) : DraftOp.put(key(i + 3), key(i));
    node.append(ledger, ledger.writing(i, first, second));
  }

  /// Of the newest state.
  @Override
  List<Object> indexAnswers(TestNode node) throws Exception {
    List<Object> answers = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      answers.add(node.node.state(ledger.strand(), key(i), StateReads.NEWEST, true));
    }
    StateQuery all = new StateQuery(Bytes.EMPTY, Optional.empty(), 100, StateReads.NEWEST, true);
    answers.add(node.node.statePage(ledger.strand(), all));
    return answers;
  }

  @Override
  long rebuilds(TestNode node) {
    return node.stateRebuilds();
  }

  @Override
  void damage(InMemoryDisk files, InMemoryMetaStore rows) throws Exception {
    flipAll(files);
  }

  private List<Bytes> rows(MetaStore rows, char kind) throws Exception {
    List<Bytes> keys = new ArrayList<>();
    Bytes prefix =
        Bytes.fromHex(
            String.format(Locale.ROOT, "%02x", (int) kind)
                + ledger.strand().ledger().digest().hex());
    rows.scan(
        prefix,
        null,
        (key, _) -> {
          keys.add(key);
          return true;
        });
    return keys;
  }

  /// Damages each slot of a file.
  private static void flipAll(InMemoryDisk files) throws Exception {
    try (DiskFile slots = files.open("forest/2048.slots")) {
      for (long at = 40; at < slots.size(); at += 2048) {
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThat(slots.read(at, one)).isEqualTo(1);
        slots.write(at, ByteBuffer.wrap(new byte[] {(byte) (one.get(0) ^ 1)}));
      }
    }
  }

  @Test
  void anyDamagedRow() throws Exception {
    Bytes forest = rows(meta, 'v').getFirst();
    for (int at : new int[] {0, 3, 9, -1}) {
      InMemoryMetaStore damaged = meta.copy();
      flip(damaged, forest, at);
      assertHeals(disk.copy(), damaged, "state of ");
    }
    InMemoryMetaStore lost = meta.copy();
    lost.write(new MetaBatch().delete(forest));
    assertHeals(disk.copy(), lost, "state of ");
  }

  @Test
  void damagedPages() throws Exception {
    InMemoryDisk files = disk.copy();
    flipAll(files);
    assertHeals(files, meta.copy(), "forest/2048.slots");
  }

  /// Rows of an earlier savepoint fit each other, but not the newest block.
  @Test
  void rowsOfAnEarlierSavepoint() throws Exception {
    InMemoryMetaStore grown = meta.copy();
    try (TestNode node = new TestNode(disk, grown, CONFIG)) {
      append(node, 90);
    }
    for (Bytes key : rows(meta, 'v')) {
      grown.write(new MetaBatch().put(key, Objects.requireNonNull(meta.get(key))));
    }
    try (TestNode node = new TestNode(disk, grown, CONFIG)) {
      assertDamaged(() -> answers(node), "the last block sealed");
      append(node, 91);
      assertThat(node.stateRebuilds()).isEqualTo(1);
      answers(node);
    }
  }
}
