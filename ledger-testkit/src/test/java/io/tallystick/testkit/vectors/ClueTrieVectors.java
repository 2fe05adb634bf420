package io.tallystick.testkit.vectors;

import io.tallystick.crypto.Keccak256;
import io.tallystick.merkle.patricia.ClueRoot;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.merkle.patricia.RlpWriter;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceClues;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// Topic `cluetrie`: a trie of 300 clues, what it says of some, and nodes that no clue trie has.
/// Where a node is forged the root is its hash, so that it is refused for what it is.
final class ClueTrieVectors {
  private static final int CLUES = 300;
  private static final Bytes EMPTY = string(Bytes.EMPTY);
  private static final Bytes OTHER = hash(Bytes.utf8("some other child"));

  private final VectorSet set;
  private final ReferenceClues clues = ReferenceClues.of(List.of());
  private final Digest root;
  private final Digest used = clue(7);
  private final Digest never = Digest.of(Fixtures.bytes32("clue never used"));
  private final List<Bytes> nodes;

  /// A trie of one clue, {@link #used}, is its leaf; this is its key and value.
  private final String key = TrieProof.key(used).hex();

  private final Bytes value = string(value(7).encode());

  ClueTrieVectors(VectorSet set) {
    this.set = set;
    for (int i = 0; i < CLUES; i++) {
      clues.put(clue(i), value(i));
    }
    root = clues.root();
    nodes = clues.proof(used).nodes();
  }

  private static Digest clue(int number) {
    return Digest.of(Fixtures.bytes32("clue " + number));
  }

  private static ClueValue value(int number) {
    return new ClueValue(1 + number, clue(number), number % 5 == 0 ? 1000 + number : 0);
  }

  void make() {
    set.accept(made("used-clue", used, root, nodes));
    set.accept(made("deleted-clue", clue(5), root, clues.proof(clue(5)).nodes()));
    set.accept(made("clue-never-used", never, root, clues.proof(never).nodes()));
    set.accept(made("empty-trie", never, ClueRoot.EMPTY.digest(), List.of()));
    set.accept(made("only-clue", used, hashOf(leaf("20" + key, value)), List.of(only())));
    set.accept(made("never-used-beside-the-only-clue", never, hashOf(only()), List.of(only())));
    proofs();
    branches();
    paths();
    leaves();
    encodings();
  }

  private void proofs() {
    List<Bytes> shorter = nodes.subList(0, nodes.size() - 1);
    bad("absence-claimed-for-a-used-clue", "WRONG_PATH_LENGTH", used, root, shorter);
    bad("no-nodes", "WRONG_PATH_LENGTH", used, root, List.of());
    bad("node-behind-the-leaf", "WRONG_PATH_LENGTH", used, root, with(nodes, only()));
    List<Bytes> absent = clues.proof(never).nodes();
    bad("node-behind-the-end-of-the-way", "WRONG_PATH_LENGTH", never, root, with(absent, only()));
    bad("node-in-the-empty-trie", "WRONG_PATH_LENGTH", used, ClueRoot.EMPTY.digest(), nodes);
    bad("node-twice", "ROOT_MISMATCH", used, root, twice());
    List<Bytes> swapped = new ArrayList<>(nodes);
    Collections.swap(swapped, 0, 1);
    bad("nodes-swapped", "ROOT_MISMATCH", used, root, swapped);
    bad("without-its-root", "ROOT_MISMATCH", used, root, nodes.subList(1, nodes.size()));
    bad("of-another-clue", "ROOT_MISMATCH", used, root, otherLeaf());
    bad("root-of-another-block", "ROOT_MISMATCH", used, newerRoot(), nodes);
    bad("66-nodes", "WRONG_PATH_LENGTH", used, root, Collections.nCopies(66, nodes.getFirst()));
    List<Bytes> flipped = new ArrayList<>(nodes);
    flipped.set(1, Forge.flipBit(nodes.get(1), 5));
    bad("node-with-a-flipped-bit", "ROOT_MISMATCH", used, root, flipped);
  }

  private List<Bytes> twice() {
    return Stream.concat(Stream.of(nodes.getFirst()), nodes.stream()).toList();
  }

  /// The way of the clue with the leaf of another clue at its end.
  private List<Bytes> otherLeaf() {
    List<Bytes> mixed = new ArrayList<>(nodes);
    mixed.set(mixed.size() - 1, clues.proof(clue(8)).nodes().getLast());
    return mixed;
  }

  private Digest newerRoot() {
    ReferenceClues newer = ReferenceClues.of(List.of());
    for (int i = 0; i <= CLUES; i++) {
      newer.put(clue(i), value(i));
    }
    return newer.root();
  }

  private void branches() {
    Bytes rest = leaf("3" + key.substring(1), value);
    String nibble = key.substring(0, 1);
    set.accept(forged("branch-of-two", branch(nibble, hash(rest), EMPTY), rest));
    malformed("branch-with-a-value", branch(nibble, hash(rest), value), rest);
    malformed("branch-with-one-child", oneChild(nibble, hash(rest)), rest);
    malformed(
        "branch-with-an-embedded-node", branch(nibble, list(string(hex("20")), EMPTY), EMPTY));
    malformed("child-of-31-bytes", branch(nibble, string(hex("11".repeat(31))), EMPTY));
    malformed("child-of-33-bytes", branch(nibble, string(hex("11".repeat(33))), EMPTY));
    malformed("node-of-16-items", list(Collections.nCopies(16, OTHER).toArray(new Bytes[0])));
    malformed("node-of-18-items", list(Collections.nCopies(18, EMPTY).toArray(new Bytes[0])));
  }

  private void paths() {
    Bytes rest = leaf("3" + key.substring(2) + "0", value);
    Bytes first = string(hex("1" + key.substring(0, 1)));
    malformed("extension-to-a-leaf", list(first, hash(rest)), rest);
    Bytes second = list(string(hex("1" + key.substring(1, 2))), OTHER);
    malformed("extension-to-an-extension", list(first, hash(second)), second);
    malformed("extension-without-nibbles", list(string(hex("00")), OTHER));
    malformed("extension-of-all-nibbles", list(string(hex("00" + key)), OTHER));
    malformed("extension-with-an-embedded-node", list(first, list(string(hex("20")), EMPTY)));
    malformed("padding-nibble-not-0", leaf("21" + key, value));
    malformed("flag-4", leaf("40" + key, value));
    malformed("no-flag", leaf("", value));
  }

  private void leaves() {
    malformed("leaf-of-63-nibbles", leaf("3" + key.substring(1), value));
    malformed("leaf-of-65-nibbles", leaf("30" + key, value));
    malformed("leaf-without-nibbles", leaf("20", value));
    malformed("leaf-of-another-key-without-a-clue-value", leaf("20" + clue(3).hex(), OTHER));
    malformedValue("count-0", "e380a0R80");
    malformedValue("count-with-a-leading-zero", "e500" + "a0R80");
    malformedValue("count-not-shortest", "e48101a0R80");
    malformedValue("count-above-2-to-the-62", "eb884000000000000001a0R80");
    malformedValue("deleted-by-2-to-the-62", "eb01a0R884000000000000000");
    malformedValue("deleted-by-a-zero-byte", "e301a0R00");
    malformedValue("root-of-31-bytes", "e2019f" + "22".repeat(31) + "80");
    malformedValue("two-items", "e201a0R");
    malformedValue("four-items", "e401a0R8080");
    malformedValue("value-length-not-shortest", "f82301a0R80");
    malformedValue("bytes-behind-the-value", "e301a0R8000");
    malformedValue("a-string", "a301a0R80");
  }

  private void encodings() {
    Bytes good = only();
    String items = good.hex().substring(4);
    int length = items.length() / 2;
    malformed("bytes-behind-a-node", hex(good.hex() + "00"));
    malformed("node-cut-short", good.slice(0, good.size() - 1));
    malformed(
        "length-with-a-leading-zero", hex(String.format(Locale.ROOT, "f900%02x", length) + items));
    malformed("length-of-9-bytes", hex("ff" + "00".repeat(8) + items));
    malformed(
        "length-beyond-the-node", hex(String.format(Locale.ROOT, "f8%02x", length + 1) + items));
    malformed("node-is-a-string", string(hex("20")));
    malformed("node-of-533-bytes", hex("f90212" + "80".repeat(530)));
    malformed("empty-node", Bytes.EMPTY);
  }

  private Bytes only() {
    return leaf("20" + key, value);
  }

  private void malformedValue(String name, String hex) {
    Bytes forged = string(hex(hex.replace("R", "22".repeat(32))));
    malformed("value-" + name, leaf("20" + key, forged));
  }

  private void malformed(String name, Bytes... forged) {
    set.refuse("MALFORMED", forged(name, forged));
  }

  private VectorCase forged(String name, Bytes... forged) {
    return made(name, used, hashOf(forged[0]), List.of(forged));
  }

  private void bad(String name, String reason, Digest clueId, Digest of, List<Bytes> given) {
    set.refuse(reason, made(name, clueId, of, given));
  }

  private static VectorCase made(String name, Digest clueId, Digest of, List<Bytes> given) {
    return VectorCase.of("cluetrie/" + name, "trie", name.replace('-', ' '))
        .with("clueId", clueId)
        .with("clueRoot", of)
        .with("nodes", given);
  }

  private static List<Bytes> with(List<Bytes> list, Bytes last) {
    return Stream.concat(list.stream(), Stream.of(last)).toList();
  }

  private static Bytes branch(String nibble, Bytes child, Bytes last) {
    Bytes[] items = items(last);
    items[(Character.digit(nibble.charAt(0), 16) + 1) % 16] = OTHER;
    items[Character.digit(nibble.charAt(0), 16)] = child;
    return list(items);
  }

  private static Bytes oneChild(String nibble, Bytes child) {
    Bytes[] items = items(EMPTY);
    items[Character.digit(nibble.charAt(0), 16)] = child;
    return list(items);
  }

  private static Bytes[] items(Bytes last) {
    Bytes[] items = new Bytes[17];
    Arrays.fill(items, EMPTY);
    items[16] = last;
    return items;
  }

  private static Bytes leaf(String hexPrefix, Bytes value) {
    return list(string(hex(hexPrefix)), value);
  }

  private static Bytes list(Bytes... items) {
    StringBuilder hex = new StringBuilder();
    Stream.of(items).forEach(item -> hex.append(item.hex()));
    return hex(new RlpWriter(9).list(hex.length() / 2).toBytes().hex() + hex);
  }

  private static Bytes string(Bytes value) {
    return new RlpWriter(64).string(value).toBytes();
  }

  private static Bytes hash(Bytes node) {
    return string(hashOf(node).toBytes());
  }

  private static Digest hashOf(Bytes node) {
    return Keccak256.hash(node.toArray());
  }

  private static Bytes hex(String hex) {
    return Bytes.fromHex(hex);
  }
}
