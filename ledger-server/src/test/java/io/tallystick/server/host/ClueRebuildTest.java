package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.journal.Commitments;
import io.tallystick.journal.Feature;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.LineageQuery;
import io.tallystick.node.ProvenClue;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal and method: those of the contract, for the clue index and the clue trie.
class ClueRebuildTest extends IndexRebuildContract {
  private static final int CLUES = 9;
  private static final int BEFORE = 60;

  ClueRebuildTest() {
    super(Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE)));
  }

  private static String clue(int i) {
    return "clue " + i % CLUES;
  }

  private Digest id(int i) {
    return Commitments.clueId(ledger.strand().ledger(), clue(i));
  }

  @Override
  void fill(TestNode node) throws Exception {
    for (int i = 0; i < BEFORE; i++) {
      append(node, i);
    }
    node.append(ledger, ledger.clueDelete(BEFORE, clue(4)));
  }

  @Override
  void append(TestNode node, int i) throws Exception {
    if (i % 7 == 6) {
      node.append(plain, plain.single(i));
    } else {
      node.append(ledger, ledger.clued(i, clue(i), "more " + i % 4, "own " + i));
    }
  }

  @Override
  List<Object> indexAnswers(TestNode node) throws Exception {
    List<Object> answers = new ArrayList<>();
    for (int i = 0; i < CLUES; i++) {
      answers.add(node.node.clue(ledger.strand(), id(i)));
      if (i != 4) {
        answers.add(node.node.lineage(ledger.strand(), LineageQuery.all(id(i))));
      }
    }
    return answers;
  }

  @Override
  long rebuilds(TestNode node) {
    return node.clueRebuilds();
  }

  @Override
  void damage(InMemoryDisk files, InMemoryMetaStore rows) {
    flip(rows, rowKey("c", id(100)), 0);
  }

  private Bytes rowKey(String prefix, Digest... more) {
    byte[] first = prefix.getBytes(StandardCharsets.US_ASCII);
    StringBuilder key = new StringBuilder(Bytes.wrap(first).hex());
    key.append(ledger.strand().ledger().digest().hex()).append("00000000");
    for (Digest each : more) {
      key.append(each.hex());
    }
    return Bytes.fromHex(key.toString());
  }

  @Test
  void aDamagedHeadRow() throws Exception {
    for (int at : new int[] {0, 1, 17, 60}) { // 60: a hash of the frontier
      InMemoryMetaStore rows = meta.copy();
      flip(rows, rowKey("c", id(100)), at);
      assertHeals(disk.copy(), rows, "head of clue " + id(100) + " of " + ledger.strand() + " at ");
    }
  }

  /// Such a row has a good checksum, and what is appended to it would be sealed: the trie knows
  /// better.
  @Test
  void aHeadRowThatIsLostOrOfAnEarlierSavepoint() throws Exception {
    Bytes key = rowKey("c", id(100));
    Bytes earlier = Objects.requireNonNull(meta.get(key));
    InMemoryDisk grown = disk.copy();
    InMemoryMetaStore rows = meta.copy();
    try (TestNode node = new TestNode(grown, rows, CONFIG)) {
      appendMore(node);
    }
    List<Object> want;
    try (TestNode node = new TestNode(grown.copy(), rows.copy(), CONFIG)) {
      append(node, 200 * CLUES + 1);
      want = answers(node);
    }
    InMemoryMetaStore lost = rows.copy();
    lost.write(new MetaBatch().delete(key));
    InMemoryMetaStore old = rows.copy();
    old.write(new MetaBatch().put(key, earlier));
    for (InMemoryMetaStore each : List.of(lost, old)) {
      try (TestNode node = new TestNode(grown.copy(), each, CONFIG)) {
        node.node.clue(ledger.strand(), id(100)); // a read may have the row in memory already
        append(node, 200 * CLUES + 1);
        assertThat(node.clueRebuilds()).isEqualTo(1);
        assertThat(answers(node)).isEqualTo(want);
      }
    }
  }

  @Test
  void aDamagedRowOfTheIndex() throws Exception {
    for (int at : new int[] {0, 9}) {
      InMemoryMetaStore rows = meta.copy();
      flip(rows, rowKey("c"), at);
      assertHeals(disk.copy(), rows, "clue index of " + ledger.strand() + " at ");
    }
  }

  @Test
  void aRebuildThatWasNotFinished() throws Exception {
    InMemoryMetaStore rows = meta.copy();
    flip(rows, rowKey("c"), 1);
    assertHeals(disk.copy(), rows, "a rebuilding was not finished: run `tally rebuild");
  }

  @Test
  void aDamagedRowOfTheTrie() throws Exception {
    for (int at : new int[] {1, 12}) {
      InMemoryMetaStore rows = meta.copy();
      flip(rows, rowKey("patricia/"), at);
      assertHeals(disk.copy(), rows, " of " + ledger.strand() + " at 0: ");
    }
  }

  @Test
  void allNodesOfTheTrie() throws Exception {
    InMemoryDisk damaged = disk.copy();
    for (String name : damaged.names()) {
      if (name.endsWith(".slots")) {
        damaged.overwrite(name, 0, new byte[(int) damaged.size(name)]);
      }
    }
    assertHeals(damaged, meta.copy(), ".slots at ");
  }

  @Test
  void aDamagedCellFailsTheReadsThatNeedItAndNoAppend() throws Exception {
    InMemoryMetaStore rows = meta.copy();
    rows.scan(
        rowKey("array/"),
        null,
        (key, value) -> {
          if (key.hex().contains(Bytes.utf8("clues").hex())) {
            flip(rows, key, 14 + 64 * 20); // a cell in the middle
          }
          return true;
        });
    try (TestNode node = new TestNode(disk.copy(), rows, CONFIG)) {
      assertDamaged(() -> answers(node), "array");
      appendMore(node);
      assertThat(node.clueRebuilds()).isZero();
      BlockView newest = node.node.newestBlock(ledger.strand());
      assertThat(newest).isEqualTo(undamaged().getFirst());
      assertDamaged(() -> answers(node), "array");
    }
  }

  /// The frames behind the savepoint meet the damage when they are replayed.
  @Test
  void replayRebuildsToo() throws Exception {
    InMemoryMetaStore rows = meta.copy();
    InMemoryDisk other = disk.copy();
    List<Object> want;
    try (TestNode node = new TestNode(other, meta.copy(), CONFIG)) {
      appendMore(node);
      want = answers(node);
    }
    flip(rows, rowKey("c", id(100)), 0);
    // The writer's epoch is in the rows: those of the second start know it.
    try (TestNode node = new TestNode(disk.copy(), rows, CONFIG)) {
      assertThat(node.clueRebuilds()).isZero();
    }
    try (TestNode node = new TestNode(other, rows, CONFIG)) {
      assertThat(node.clueRebuilds()).isEqualTo(1);
      assertThat(answers(node)).isEqualTo(want);
    }
  }

  /// Who asks meanwhile is told to ask again, or gets what the trie alone says.
  @Test
  void readersHearThatTheIndexIsBeingRebuilt() throws Exception {
    InMemoryMetaStore rows = meta.copy();
    flip(rows, rowKey("c", id(100)), 0);
    List<Object> want = undamaged();
    Digest healthy = id(2);
    List<Object> heard = new ArrayList<>();
    HookedHasher hasher = new HookedHasher();
    try (TestNode node = new TestNode(disk.copy(), rows, CONFIG, hasher, Fixtures.RECEIPT)) {
      ProvenClue clue = node.node.clue(ledger.strand(), healthy);
      assertThat(node.node.lineage(ledger.strand(), LineageQuery.all(healthy)).clue())
          .isEqualTo(clue);
      hasher.onLeaves =
          () -> {
            if (node.clueRebuilds() == 1) {
              heard.add(heard(() -> node.node.clue(ledger.strand(), healthy).equals(clue)));
              heard.add(heard(() -> node.node.lineage(ledger.strand(), LineageQuery.all(healthy))));
            }
          };
      append(node, 100);
      hasher.onLeaves = () -> {};
      assertThat(heard).hasSizeGreaterThan(50).containsOnly(true, RejectionCode.UNAVAILABLE);
      for (int i = 101; i < 100 + MORE; i++) {
        append(node, i);
      }
      assertThat(answers(node)).isEqualTo(want);
    }
  }

  private static Object heard(java.util.concurrent.Callable<Object> read) {
    try {
      return read.call();
    } catch (RequestRejectedException refusal) {
      return refusal.code();
    } catch (Exception e) {
      return e;
    }
  }

  /// A journal that is no more what was sealed: nothing is sealed on top of it.
  @Test
  void theShardStopsIfTheJournalsDoNotMakeWhatWasSealed() throws Exception {
    InMemoryMetaStore rows = meta.copy();
    flip(rows, rowKey("c", id(100)), 0);
    InMemoryDisk damaged = disk.copy();
    StoredStream stream = new StoredStream(damaged);
    StoredStream.Frame frame = stream.frames().get(20);
    byte[] infos = stream.infos(frame);
    infos[infos.length - 1] ^= 1; // the last byte of a header
    damaged.overwrite(frame.segment(), frame.infos(), infos);
    try (TestNode node = new TestNode(damaged, rows, CONFIG)) {
      assertThatThrownBy(() -> append(node, 100)).hasMessageContaining("indexing failed");
      Waiting.until("the shard has stopped", () -> !node.node.health().appendable());
      assertThat(node.node.health().detail()).contains("has leaf hash");
      assertThatThrownBy(() -> append(node, 101))
          .isInstanceOfSatisfying(
              RequestRejectedException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE));
      assertDamaged(() -> answers(node), "a rebuilding was not finished");
    }
    assertThatThrownBy(() -> new TestNode(damaged, rows, CONFIG))
        .hasMessageContaining("has leaf hash");
  }
}
