package io.tallystick.testkit.patricia;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.List;
import org.bouncycastle.jcajce.provider.digest.Keccak;
import org.junit.jupiter.api.Test;

/// Goal: the reference trie is right where no vectors are at hand. Method: roots and encodings
/// worked out by others or by hand.
class ReferenceTrieTest {
  /// Of the official test `dogs`.
  private static final Digest DOGS =
      Digest.fromHex("8aad789dff2f538bca5d8ea56e8abe10f4c7ba3a5dea95fea4cd6e7c3a1168d3");

  @Test
  void theEmptyTrieHasTheRootThatSealsOfLedgersWithoutCluesHave() {
    ReferenceTrie trie = new ReferenceTrie();
    assertThat(trie.root()).isEqualTo(SealLeaf.EMPTY_CLUE_ROOT);
    assertThat(trie.proof(utf8("any"))).isEmpty();
  }

  @Test
  void deletionLeavesTheTrieOfWhatIsLeft() {
    ReferenceTrie trie = dogs();
    assertThat(trie.root()).isEqualTo(DOGS);
    trie.put(utf8("do"), utf8("verb"));
    trie.put(utf8("horse"), utf8("stallion"));
    assertThat(trie.root()).isNotEqualTo(DOGS);
    trie.delete(utf8("do"));
    trie.put(utf8("horse"), new byte[0]);
    trie.delete(utf8("never there"));
    assertThat(trie.root()).isEqualTo(DOGS);
    assertThat(trie.size()).isEqualTo(3);
    assertThat(trie.get(utf8("dog"))).contains(Bytes.utf8("puppy"));
  }

  @Test
  void aProofRepeatsNoEmbeddedNode() {
    ReferenceTrie trie = new ReferenceTrie();
    trie.put(new byte[] {0x12, 0x34}, utf8("a"));
    trie.put(new byte[] {0x12, 0x35}, utf8("b"));
    // Two leaves without nibbles, [20, "a"] and [20, "b"], stand in a branch at 4 and 5, and this
    // in the extension 123: all in one node.
    String branch = "d5" + "80808080" + "c22061" + "c22062" + "80".repeat(11);
    Bytes root = Bytes.fromHex("d9" + "821123" + branch);
    assertThat(trie.root()).isEqualTo(Digest.of(keccak(root)));
    assertThat(trie.proof(new byte[] {0x12, 0x34})).isEqualTo(List.of(root));
  }

  @Test
  void aProofEndsWhereTheWayOfItsKeyEnds() {
    ReferenceTrie trie = new ReferenceTrie();
    byte[] value = new byte[40];
    Arrays.fill(value, (byte) 7);
    trie.put(new byte[] {0x12, 0x34}, value);
    trie.put(new byte[] {0x12, 0x35}, value);
    List<Bytes> present = trie.proof(new byte[] {0x12, 0x34});
    assertThat(present).hasSize(3);
    assertThat(Digest.of(keccak(present.getFirst()))).isEqualTo(trie.root());
    assertThat(present.get(0).hex()).isEqualTo("e4821123a0" + hex(keccak(present.get(1))));
    assertThat(present.get(1).hex()).contains(hex(keccak(present.get(2))));
    assertThat(trie.proof(new byte[] {0x12, 0x36})).isEqualTo(present.subList(0, 2));
    assertThat(trie.proof(new byte[] {0x13, 0x34})).isEqualTo(present.subList(0, 1));
    assertThat(trie.proof(new byte[] {0x12})).isEqualTo(present.subList(0, 1));
  }

  /// The head of a value's string: one byte to 55 bytes, then with a length of its own.
  @Test
  void writesEveryLengthAsTheYellowPaperDoes() {
    assertThat(onlyNode(1)).isEqualTo("c3208182");
    assertThat(onlyNode(55)).startsWith("f839" + "20" + "b7");
    assertThat(onlyNode(56)).startsWith("f83b" + "20" + "b838");
    assertThat(onlyNode(255)).startsWith("f90102" + "20" + "b8ff");
    assertThat(onlyNode(256)).startsWith("f90104" + "20" + "b90100");
  }

  private static String onlyNode(int valueBytes) {
    ReferenceTrie trie = new ReferenceTrie();
    byte[] value = new byte[valueBytes];
    value[0] = (byte) 0x82;
    trie.put(new byte[0], value);
    return trie.proof(new byte[0]).getFirst().hex();
  }

  private static ReferenceTrie dogs() {
    ReferenceTrie trie = new ReferenceTrie();
    trie.put(utf8("doe"), utf8("reindeer"));
    trie.put(utf8("dog"), utf8("puppy"));
    trie.put(utf8("dogglesworth"), utf8("cat"));
    return trie;
  }

  private static byte[] utf8(String text) {
    return Bytes.utf8(text).toArray();
  }

  private static byte[] keccak(Bytes message) {
    return new Keccak.Digest256().digest(message.toArray());
  }

  private static String hex(byte[] bytes) {
    return Bytes.wrap(bytes).hex();
  }
}
