package io.tallystick.merkle.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal: a node that a trie of clues cannot have is refused, though its hash be the root or stand
/// in its parent. Method: nodes made by hand, in tries whose every hash is right.
class DishonestTrieTest {
  private static final Digest KEY = Tries.key("123");
  private static final Bytes EMPTY = Tries.string("");
  private static final Bytes VALUE = Tries.string(Tries.value(KEY).encode());
  private static final Bytes OTHER = Tries.hash(Bytes.utf8("some other child"));

  /// All but one nibble of {@link #KEY}.
  private static final Bytes LEAF_63 = leaf("3" + KEY.hex().substring(1), VALUE);

  @Test
  void acceptsWhatTheCasesBelowAreMadeOf() throws ProofRejectedException {
    Bytes branch = Tries.branch("1a", EMPTY, Tries.hash(LEAF_63), OTHER);
    assertThat(verify(branch, LEAF_63)).contains(Tries.value(KEY));
    assertThat(verify(leaf("20" + KEY.hex(), VALUE))).contains(Tries.value(KEY));
    Bytes below = Tries.branch("2a", EMPTY, Tries.hash(leaf62()), OTHER);
    Bytes extension = Tries.node(Tries.string("11"), Tries.hash(below));
    assertThat(verify(extension, below, leaf62())).contains(Tries.value(KEY));
  }

  @Test
  void refusesAValueAtABranch() {
    Bytes branch = Tries.branch("1a", VALUE, Tries.hash(LEAF_63), OTHER);
    assertMalformed("branch with a value", branch, LEAF_63);
  }

  /// What Ethereum makes of keys of which one is the beginning of the other.
  @Test
  void refusesTheTrieOfAShorterKey() {
    ReferenceTrie trie = new ReferenceTrie();
    byte[] value = Tries.value(KEY).encode().toArray();
    trie.put(KEY.toArray(), value);
    trie.put(new byte[] {0x12}, value);
    assertThatThrownBy(() -> Tries.proof(trie, KEY).verifyKey(KEY, Tries.root(trie)))
        .hasMessageContaining("branch with a value");
  }

  /// Ethereum embeds nodes below 32 bytes; a clue's value alone is longer.
  @Test
  void refusesAnEmbeddedNode() {
    ReferenceTrie trie = new ReferenceTrie();
    trie.put(KEY.toArray(), new byte[] {1});
    trie.put(Tries.parted(KEY, 63).toArray(), new byte[] {2});
    TrieProof proof = Tries.proof(trie, KEY);
    assertThatThrownBy(() -> proof.verifyKey(KEY, Tries.root(trie)))
        .hasMessageContaining("embedded");
    Bytes inBranch = Tries.branch("1a", EMPTY, Tries.node(Tries.string("20"), EMPTY), OTHER);
    assertMalformed("item 1 of a node is a list: embedded", inBranch);
    Bytes inExtension = Tries.node(Tries.string("11"), Tries.node(Tries.string("20"), EMPTY));
    assertMalformed("item 1 of a node is a list: embedded", inExtension);
  }

  @Test
  void refusesABranchWithFewerThanTwoChildren() {
    assertMalformed("1 children", Tries.branch("1", EMPTY, Tries.hash(LEAF_63)), LEAF_63);
    assertMalformed("0 children", Tries.branch("", EMPTY));
  }

  @Test
  void refusesAnExtensionThatLeadsToNoBranch() {
    Bytes extension = Tries.node(Tries.string("11"), Tries.hash(LEAF_63));
    assertMalformed("no branch below an extension", extension, LEAF_63);
    Bytes second = Tries.node(Tries.string("12"), OTHER);
    Bytes first = Tries.node(Tries.string("11"), Tries.hash(second));
    assertMalformed("no branch below an extension", first, second);
  }

  @Test
  void refusesAnExtensionWithoutNibblesOrOfAllOfThem() {
    assertMalformed("extension without nibbles", Tries.node(Tries.string("00"), OTHER));
    assertMalformed("65 nibbles at 0", Tries.node(Tries.string("00" + KEY.hex()), OTHER));
    Bytes rest = Tries.node(Tries.string("1" + KEY.hex().substring(1)), OTHER);
    Bytes branch = Tries.branch("1a", EMPTY, Tries.hash(rest), OTHER);
    assertMalformed("64 nibbles at 1", branch, rest);
  }

  @Test
  void refusesABranchBelowTheWholeKey() {
    Bytes deepest = Tries.branch("1a", EMPTY, OTHER, OTHER);
    Bytes above = Tries.branch("0a", EMPTY, Tries.hash(deepest), OTHER);
    Bytes extension = Tries.node(Tries.string("1" + KEY.hex().substring(0, 63)), Tries.hash(above));
    assertMalformed("1 nibbles at 64 of 64", extension, above, deepest);
  }

  @Test
  void refusesALeafThatDoesNotHoldTheRestOfAKey() {
    assertMalformed("leaf of 63 nibbles at 0", LEAF_63);
    assertMalformed("leaf of 0 nibbles at 0", leaf("20", VALUE));
    Bytes tooLong = leaf("20" + KEY.hex(), VALUE);
    assertMalformed(
        "leaf of 64 nibbles at 1", Tries.branch("1a", EMPTY, Tries.hash(tooLong), OTHER), tooLong);
  }

  @Test
  void refusesALeafWhoseValueIsNoneOfAClueEvenIfItOnlyShowsAbsence() {
    Bytes another = leaf("20" + Tries.parted(KEY, 5).hex(), Tries.string("0102"));
    assertMalformed("list expected", another);
    Bytes encoded = Tries.value(KEY).encode();
    Bytes padded = Bytes.fromHex("f8" + encoded.hex().replaceFirst("^..", "23"));
    assertMalformed("not the shortest", leaf("20" + KEY.hex(), Tries.string(padded)));
  }

  @Test
  void refusesNibblesInAnotherForm() {
    assertMalformed("nibbles begin with", leaf("21" + KEY.hex(), VALUE));
    assertMalformed("nibbles begin with", leaf("60" + KEY.hex(), VALUE));
    assertMalformed("nibbles in 0 bytes", leaf("", VALUE));
  }

  @Test
  void refusesANodeOfOtherItems() {
    assertMalformed("node of 0 items", Tries.node());
    assertMalformed("node of 1 items", Tries.node(EMPTY));
    assertMalformed("node of 3 items", Tries.node(Tries.string("20"), VALUE, EMPTY));
    Bytes[] items = new Bytes[18];
    Arrays.fill(items, OTHER);
    assertMalformed("node of", Tries.node(items));
    assertMalformed("list expected", Tries.string("20"));
    assertMalformed("child of 31 bytes", Tries.branch("1a", EMPTY, shortHash(), OTHER));
    assertMalformed("child of 31 bytes", Tries.node(Tries.string("11"), shortHash()));
    assertMalformed("at most 52", Tries.node(Tries.string("11"), Tries.string("11".repeat(53))));
  }

  @Test
  void refusesBytesBehindANodeAndLongNodes() {
    assertMalformed("left over", Bytes.fromHex(leaf("20" + KEY.hex(), VALUE).hex() + "00"));
    assertMalformed("at most 532", Bytes.fromHex("f90212" + "80".repeat(530)));
  }

  private static Bytes shortHash() {
    return Tries.string("11".repeat(31));
  }

  private static Bytes leaf62() {
    return leaf("20" + KEY.hex().substring(2), VALUE);
  }

  private static Bytes leaf(String hexPrefix, Bytes value) {
    return Tries.node(Tries.string(hexPrefix), value);
  }

  private static Optional<ClueValue> verify(Bytes... nodes) throws ProofRejectedException {
    return new TrieProof(List.of(nodes)).verifyKey(KEY, Tries.rootOf(nodes[0]));
  }

  private static void assertMalformed(String why, Bytes... nodes) {
    assertThatThrownBy(() -> verify(nodes))
        .isInstanceOfSatisfying(
            ProofRejectedException.class,
            e -> {
              assertThat(e.getMessage()).contains(why);
              assertThat(e.reason()).isEqualTo(Reason.MALFORMED);
            });
  }
}
