package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Keccak256;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.patricia.ReferenceTrie;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Goal: every seal holds the root of the clue trie as its definition says. Method: append journals
/// with clues; after each, make the trie from scratch out of the leaves, by the reference tree and
/// the reference trie, and compare.
class ShardCluesTest {
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE));
  private final Model model = new Model(ledger.strand());

  /// The clues as they should be.
  private static final class Model {
    private final StrandId strand;
    private final Map<Digest, List<Bytes>> entries = new TreeMap<>();
    private final Map<Digest, Long> deleted = new TreeMap<>();

    private Model(StrandId strand) {
      this.strand = strand;
    }

    private void add(long jsn, Digest leafHash, boolean delete, String... clues) {
      for (String clue : clues) {
        Digest id = Commitments.clueId(strand.ledger(), clue);
        entries.computeIfAbsent(id, _ -> new ArrayList<>()).add(leafHash.toBytes());
        deleted.put(id, delete ? jsn : 0);
      }
    }

    private Digest root() {
      ReferenceTrie trie = new ReferenceTrie();
      entries.forEach((id, leaves) -> {
        Digest root = new ReferenceTree(leaves).root(leaves.size());
        String value =
            number(leaves.size()) + "a0" + root.hex() + number(deleted.getOrDefault(id, 0L));
        String length = String.format(Locale.ROOT, "%02x", 0xc0 + value.length() / 2);
        trie.put(Keccak256.hash(id.toArray()).toArray(), Bytes.fromHex(length + value).toArray());
      });
      return trie.root();
    }

    /// RLP of a number below 128.
    private static String number(long number) {
      return number == 0 ? "80" : String.format(Locale.ROOT, "%02x", number);
    }
  }

  private void append(TestNode node, Submission submission, boolean delete, String... clues)
      throws Exception {
    long jsn = node.append(ledger, submission).committed().firstJsn();
    Bytes leaf = node.node.journal(ledger.strand(), jsn, false).leaf();
    model.add(jsn, TreeHasher.leafHash(leaf), delete, clues);
    checkNewestSeal(node);
  }

  private void checkNewestSeal(TestNode node) throws Exception {
    long size = node.node.newestBlock(ledger.strand()).size();
    Leaf seal = Leaf.decode(node.node.journal(ledger.strand(), size - 1, false).leaf());
    assertThat(((SealLeaf) seal).clueRoot()).isEqualTo(model.root());
  }

  @Test
  void everySealHoldsTheTriesRoot() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      checkNewestSeal(node);
      append(node, ledger.single(0), false);
      append(node, ledger.clued(1, "a"), false, "a");
      append(node, ledger.clued(2, "b", "a"), false, "a", "b");
      append(node, ledger.clueDelete(3, "a"), true, "a");
      append(node, ledger.clueDelete(4, "never used"), true, "never used");
    }
    try (TestNode node = new TestNode(disk, meta)) {
      checkNewestSeal(node);
      for (int i = 5; i < 60; i++) {
        append(node, ledger.clued(i, "a", "c" + i % 7), false, "a", "c" + i % 7);
      }
      append(node, ledger.single(60), false);
    }
  }

  /// The meta store of the beginning: all blocks are sealed again, to the same hashes.
  @Test
  void replaySealsTheSameRoots() throws Exception {
    InMemoryMetaStore early;
    BlockView newest;
    try (TestNode node = new TestNode(disk, meta)) {
      early = meta.copy();
      node.found(ledger);
      for (int i = 1; i < 50; i++) {
        append(node, ledger.clued(i, "a" + i % 5), false, "a" + i % 5);
      }
      newest = node.node.newestBlock(ledger.strand());
    }
    try (TestNode node = new TestNode(disk, early)) {
      assertThat(node.node.newestBlock(ledger.strand())).isEqualTo(newest);
      checkNewestSeal(node);
    }
  }

  @Test
  void cluesAreRefusedUntilTheTrieIsOn() throws Exception {
    Fixtures plain = Fixtures.ledger();
    Submission clued = plain.clued(1, "a");
    try (TestNode node = new TestNode(disk, meta)) {
      node.found();
      assertRefused(node, clued, RejectionCode.FEATURE_NOT_ENABLED, "not on in this ledger");
      assertRefused(
          node,
          plain.clueTrieFrom(1),
          RejectionCode.PARAMETERS_INVALID,
          "firstHeight 1 is not above the block of this journal, 1");
      node.append(plain.clueTrieFrom(3)); // block 1
      assertRefused(node, clued, RejectionCode.FEATURE_NOT_ENABLED, "on from block 3");
      assertRefused(
          node,
          plain.clueTrieFrom(4),
          RejectionCode.PARAMETERS_INVALID,
          "is on from block 3 already");
      assertThat(node.node.newestBlock(plain.strand()).height()).isEqualTo(1);
    }
    try (TestNode node = new TestNode(disk, meta)) {
      assertRefused(node, clued, RejectionCode.FEATURE_NOT_ENABLED, "on from block 3");
      node.append(plain.single(2)); // block 2
      assertThat(node.append(clued).committed().repeated()).isFalse();
      SealLeaf seal =
          (SealLeaf)
              Leaf.decode(
                  node.node
                      .journal(
                          plain.strand(), node.node.newestBlock(plain.strand()).size() - 1, false)
                      .leaf());
      assertThat(seal.height()).isEqualTo(3);
      assertThat(seal.clueRoot()).isNotEqualTo(SealLeaf.EMPTY_CLUE_ROOT);
    }
  }

  @Test
  void theStateForestComesWithGenesisAlone() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found();
      assertRefused(
          node,
          Fixtures.ledger()
              .govern(
                  io.tallystick.journal.Kind.PARAMETERS,
                  new io.tallystick.journal.Extension.Parameters(9, Set.of(Feature.STATE_FOREST)),
                  Fixtures.ALICE),
          RejectionCode.PARAMETERS_INVALID,
          "feature 2 (STATE_FOREST) comes with genesis alone");
    }
  }

  private static void assertRefused(
      TestNode node, Submission submission, RejectionCode code, String why) {
    assertThatThrownBy(() -> node.append(submission))
        .isInstanceOfSatisfying(
            RequestRejectedException.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContaining(why);
  }
}
