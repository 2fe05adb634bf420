package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.StatePruning;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a purge that is carried out leaves nothing that only versions of the state below it had,
/// and versions above it stay. Method: the commitments of replaced values are searched for in all
/// files of states.
class PurgedVersionsTest {
  private static final long DAY_MS = 24L * 60 * 60 * 1000;
  private static final Bytes KEY = Bytes.utf8("key");
  private static final StateParams PARAMS = StateParams.of(1 << 20, 4, 4);

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private Fixtures ledger = Fixtures.ledger().withState(PARAMS);
  private long nowMs = Fixtures.TIME_MS;
  private int number = 1;

  private TestNode open() throws Exception {
    return new TestNode(disk, meta, TestNode.TINY_SEGMENTS, TestNode.CONFIG, nowMs);
  }

  /// The key and others, in a block of their own.
  ///
  /// @return the commitment of the key's value
  private Bytes put(TestNode node) throws Exception {
    List<DraftOp> puts = new ArrayList<>();
    puts.add(DraftOp.put(KEY, Bytes.utf8("value " + number)));
    for (int i = 0; i < 8; i++) {
      puts.add(DraftOp.put(Bytes.utf8("other " + number + " " + i), Bytes.utf8("some")));
    }
    node.append(ledger, ledger.writing(number++, puts.toArray(DraftOp[]::new)));
    StateAnswer.Present last =
        (StateAnswer.Present) node.node.state(ledger.strand(), KEY, height(node), false).answer();
    return Bytes.wrap(last.entry().valueCommit().orElseThrow().toArray());
  }

  private long height(TestNode node) throws Exception {
    return node.node.newestBlock(ledger.strand()).height();
  }

  /// A savepoint, which keeps the newest version.
  private void save(TestNode node) throws Exception {
    var _ = node.node.pruneState(ledger.strand().ledger(), new StatePruning.Below(0));
  }

  private void purge(TestNode node, long height) throws Exception {
    Snapshot snapshot =
        Snapshot.decode(
            node.node.purges().orElseThrow().prepare(ledger.strand(), height, List.of()));
    node.append(
        ledger,
        ledger.govern(
            Kind.PURGE,
            new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), DAY_MS),
            Fixtures.ALICE));
  }

  @Test
  void whatOnlyVersionsBelowHaveIsGone() throws Exception {
    List<Bytes> replaced = new ArrayList<>();
    Bytes current;
    long height;
    try (TestNode node = open()) {
      node.found(ledger);
      for (int i = 0; i < 12; i++) {
        replaced.add(put(node));
        save(node);
      }
      current = replaced.removeLast();
      height = height(node);
      put(node);
      save(node);
      assertThat(node.node.keptStates().getFirst().olderVersions()).isGreaterThan(10);
      purge(node, height);
      save(node);
      assertThat(replaced).as("it can be recalled").allMatch(this::isInForest);
      assertThat(node.node.keptStates().getFirst().oldestHeight())
          .as("what can be read")
          .isEqualTo(height);
      assertRefused(node, height - 1);
    }
    nowMs += DAY_MS + 1;
    ledger = new Fixtures(ledger.params(), nowMs);
    try (TestNode node = open()) {
      OccultStory.awaitErased(node, 1);
      assertThat(replaced).noneMatch(this::isInForest);
      assertThat(current).matches(this::isInForest);
      assertThat(node.node.keptStates().getFirst().oldestHeight()).isEqualTo(height);
      assertRefused(node, height - 1);
    }
    try (TestNode node = open()) {
      assertThat(node.node.state(ledger.strand(), KEY, height, false).answer())
          .isInstanceOf(StateAnswer.Present.class);
      assertRefused(node, height - 1);
      assertThat(put(node)).isNotEqualTo(current);
    }
  }

  private void assertRefused(TestNode node, long height) {
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class,
            () -> node.node.state(ledger.strand(), KEY, height, false));
    assertThat(refusal.code()).isEqualTo(RejectionCode.PRUNED);
  }

  private boolean isInForest(Bytes commit) {
    String wanted = new String(commit.toArray(), StandardCharsets.ISO_8859_1);
    try {
      for (String name : disk.names()) {
        if (name.startsWith("forest/")
            && new String(disk.content(name), StandardCharsets.ISO_8859_1).contains(wanted)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
