package io.tallystick.merkle.patricia;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/// Tries of clue values, made by the reference trie, and nodes that no honest trie has.
final class Tries {
  private Tries() {}

  static Digest clueId(String name) {
    return Sha256.hash(name.getBytes(StandardCharsets.UTF_8));
  }

  /// The value that belongs to a key: different for each.
  static ClueValue value(Digest key) {
    long number = key.firstWord() >>> 40;
    return new ClueValue(1 + number, key, number % 3 == 0 ? 2 + number : 0);
  }

  static ReferenceTrie of(Collection<Digest> keys) {
    ReferenceTrie trie = new ReferenceTrie();
    keys.forEach(key -> trie.put(key.toArray(), value(key).encode().toArray()));
    return trie;
  }

  static ClueRoot root(ReferenceTrie trie) {
    return new ClueRoot(trie.root());
  }

  static TrieProof proof(ReferenceTrie trie, Digest key) {
    return new TrieProof(trie.proof(key.toArray()));
  }

  /// A key of zeros but for these first nibbles.
  static Digest key(String nibbles) {
    return Digest.fromHex(nibbles + "0".repeat(64 - nibbles.length()));
  }

  /// `key` with another nibble at `index`.
  static Digest parted(Digest key, int index) {
    String hex = key.hex();
    char other = hex.charAt(index) == 'f' ? '0' : 'f';
    return Digest.fromHex(hex.substring(0, index) + other + hex.substring(index + 1));
  }

  /// A list of these items, each encoded already.
  static Bytes node(Bytes... items) {
    int length = Arrays.stream(items).mapToInt(Bytes::size).sum();
    RlpWriter out = new RlpWriter(length + 9).list(length);
    StringBuilder hex = new StringBuilder(out.toBytes().hex());
    List.of(items).forEach(item -> hex.append(item.hex()));
    return Bytes.fromHex(hex.toString());
  }

  static Bytes string(Bytes value) {
    return new RlpWriter(0).string(value).toBytes();
  }

  static Bytes string(String hex) {
    return string(Bytes.fromHex(hex));
  }

  static Bytes hash(Bytes node) {
    return string(TrieNode.hash(node).toBytes());
  }

  /// A branch with one item at each of these nibbles, and a value.
  static Bytes branch(String nibbles, Bytes value, Bytes... children) {
    Bytes[] items = new Bytes[17];
    Arrays.fill(items, string(""));
    for (int i = 0; i < nibbles.length(); i++) {
      items[Character.digit(nibbles.charAt(i), 16)] = children[i];
    }
    items[16] = value;
    return node(items);
  }

  /// The root of a trie whose first node is this.
  static ClueRoot rootOf(Bytes node) {
    return new ClueRoot(TrieNode.hash(node));
  }
}
