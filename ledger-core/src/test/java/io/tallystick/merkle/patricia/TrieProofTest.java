package io.tallystick.merkle.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a trie's root allows one answer for each key, shown by one list of nodes. Method: every
/// proof of the reference trie verifies; whatever is made of it shows the truth or is rejected.
class TrieProofTest {
  @Test
  void answersForEveryClueOfEveryTrie() throws ProofRejectedException {
    List<Digest> clues = new ArrayList<>();
    for (int size = 0; size <= 90; size++) {
      ReferenceTrie trie = Tries.of(clues.stream().map(TrieProof::key).toList());
      ClueRoot root = Tries.root(trie);
      for (Digest clue : clues) {
        Digest key = TrieProof.key(clue);
        assertThat(Tries.proof(trie, key).verify(clue, root)).contains(Tries.value(key));
      }
      for (int i = 0; i < 30; i++) {
        Digest never = Tries.clueId("never used " + i);
        assertThat(Tries.proof(trie, TrieProof.key(never)).verify(never, root)).isEmpty();
      }
      clues.add(Tries.clueId("clue " + size));
    }
  }

  @Test
  void theKeyOfAClueIsTheKeccakHashOfItsId() {
    // keccak256 of 32 zero bytes, as Ethereum has it for the first slot of a contract.
    assertThat(TrieProof.key(Digest.ZERO).hex())
        .isEqualTo("290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563");
  }

  @Test
  void theEmptyTrieHasNothingAndNoNode() throws ProofRejectedException {
    Digest clue = Tries.clueId("any");
    assertThat(new TrieProof(List.of()).verify(clue, ClueRoot.EMPTY)).isEmpty();
    assertThat(Tries.root(new ReferenceTrie())).isEqualTo(ClueRoot.EMPTY);
    assertReason(
        new TrieProof(List.of(Tries.string(""))),
        TrieProof.key(clue),
        ClueRoot.EMPTY,
        Reason.WRONG_PATH_LENGTH);
    assertReason(
        new TrieProof(List.of()),
        TrieProof.key(clue),
        Tries.root(Tries.of(List.of(Digest.ZERO))),
        Reason.WRONG_PATH_LENGTH);
  }

  /// The longest way there is: a key from which another parts at each of its 64 nibbles.
  @Test
  void followsAWayOf64BranchesAndALeaf() throws ProofRejectedException {
    Digest key = Tries.clueId("deep");
    List<Digest> keys = new ArrayList<>(List.of(key));
    for (int i = 0; i < 64; i++) {
      keys.add(Tries.parted(key, i));
    }
    ReferenceTrie trie = Tries.of(keys);
    ClueRoot root = Tries.root(trie);
    TrieProof proof = Tries.proof(trie, key);
    assertThat(proof.nodes()).hasSize(TrieProof.NODES_MAX);
    for (Digest each : keys) {
      assertThat(Tries.proof(trie, each).verifyKey(each, root)).contains(Tries.value(each));
    }
    List<Bytes> longer = new ArrayList<>(proof.nodes());
    longer.add(longer.getLast());
    assertThatThrownBy(() -> new TrieProof(longer).verifyKey(key, root))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessage("WRONG_PATH_LENGTH: 66 nodes, at most 65");
  }

  /// Two keys that part at nibble i: an extension of i nibbles, a branch, leaves of 63 - i.
  @Test
  void followsAnExtensionOfAnyLength() throws ProofRejectedException {
    Digest key = Tries.clueId("long");
    for (int i = 0; i < 64; i++) {
      Digest other = Tries.parted(key, i);
      ReferenceTrie trie = Tries.of(List.of(key, other));
      ClueRoot root = Tries.root(trie);
      assertThat(Tries.proof(trie, key).nodes()).hasSize(i == 0 ? 2 : 3);
      assertThat(Tries.proof(trie, key).verifyKey(key, root)).contains(Tries.value(key));
      assertThat(Tries.proof(trie, other).verifyKey(other, root)).contains(Tries.value(other));
      for (int at = 0; at < 64; at++) {
        Digest absent = Tries.parted(Tries.parted(key, i), at == i ? (i + 1) % 64 : at);
        assertThat(Tries.proof(trie, absent).verifyKey(absent, root))
            .as("parts at %d, then at %d", i, at)
            .isEmpty();
      }
    }
  }

  @Test
  void theLongestNodeIsAFullBranch() throws MalformedException {
    Bytes[] children = new Bytes[16];
    for (int i = 0; i < 16; i++) {
      children[i] = Tries.hash(Bytes.utf8("child " + i));
    }
    Bytes branch = Tries.branch("0123456789abcdef", Tries.string(""), children);
    assertThat(branch.size()).isEqualTo(TrieProof.NODE_BYTES_MAX);
    assertThat(TrieNode.decode(branch).encode()).isEqualTo(branch);
  }

  @Test
  void everyNodeHasOneEncoding() throws MalformedException {
    SplittableRandom random = new SplittableRandom(4);
    List<Digest> keys = keys(random, 60);
    ReferenceTrie trie = Tries.of(keys);
    for (Digest key : keys) {
      for (Bytes node : trie.proof(key.toArray())) {
        assertThat(TrieNode.decode(node).encode()).isEqualTo(node);
      }
    }
  }

  /// Whatever list of nodes is accepted for a key is the one the trie has, and says the truth.
  @Seeded(runs = 6)
  void showsTheTruthOrIsRejected(SplittableRandom random) throws ProofRejectedException {
    List<Digest> keys = keys(random, random.nextInt(1, 40));
    List<Digest> asked = new ArrayList<>(keys);
    keys.forEach(key -> asked.add(Tries.parted(key, random.nextInt(64))));
    ReferenceTrie trie = Tries.of(keys);
    ClueRoot root = Tries.root(trie);
    for (Digest key : asked) {
      TrieProof proof = Tries.proof(trie, key);
      boolean there = trie.get(key.toArray()).isPresent();
      assertThat(proof.verifyKey(key, root).isPresent()).isEqualTo(there);
      TrieProof another = Tries.proof(trie, asked.get(random.nextInt(asked.size())));
      requireTruth(another, key, root, trie);
      for (List<Bytes> nodes : mutations(proof.nodes(), another.nodes(), random)) {
        assertThatThrownBy(() -> new TrieProof(nodes).verifyKey(key, root))
            .as("%s", nodes)
            .isInstanceOf(ProofRejectedException.class);
      }
    }
  }

  private static void requireTruth(TrieProof proof, Digest key, ClueRoot root, ReferenceTrie trie) {
    try {
      boolean found = proof.verifyKey(key, root).isPresent();
      assertThat(proof).isEqualTo(Tries.proof(trie, key));
      assertThat(found).isEqualTo(trie.get(key.toArray()).isPresent());
    } catch (ProofRejectedException e) {
      assertThat(proof).isNotEqualTo(Tries.proof(trie, key));
    }
  }

  /// Keys of which many begin alike.
  private static List<Digest> keys(SplittableRandom random, int count) {
    List<Digest> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Digest fresh = Tries.clueId("key " + random.nextInt());
      keys.add(
          keys.isEmpty() || random.nextBoolean()
              ? fresh
              : Tries.parted(keys.get(random.nextInt(keys.size())), random.nextInt(64)));
    }
    return keys.stream().distinct().toList();
  }

  private static List<List<Bytes>> mutations(
      List<Bytes> nodes, List<Bytes> others, SplittableRandom random) {
    List<List<Bytes>> all = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      List<Bytes> without = new ArrayList<>(nodes);
      Bytes node = without.remove(i);
      all.add(without);
      for (Bytes spoilt : spoilt(node, random)) {
        List<Bytes> changed = new ArrayList<>(nodes);
        changed.set(i, spoilt);
        all.add(changed);
      }
      List<Bytes> twice = new ArrayList<>(nodes);
      twice.add(i, node);
      all.add(twice);
    }
    for (Bytes other : others) {
      List<Bytes> longer = new ArrayList<>(nodes);
      longer.add(other);
      all.add(longer);
      List<Bytes> before = new ArrayList<>(nodes);
      before.addFirst(other);
      all.add(before);
    }
    List<Bytes> reversed = new ArrayList<>(nodes);
    Collections.reverse(reversed);
    all.add(reversed);
    all.removeIf(nodes::equals);
    return all;
  }

  private static List<Bytes> spoilt(Bytes node, SplittableRandom random) {
    byte[] flipped = node.toArray();
    flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
    return List.of(
        Bytes.wrap(flipped),
        Bytes.fromHex(node.hex() + "80"),
        node.slice(0, node.size() - 1),
        Bytes.EMPTY);
  }

  static void assertReason(TrieProof proof, Digest key, ClueRoot root, Reason reason) {
    assertThatThrownBy(() -> proof.verifyKey(key, root))
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
