package io.tallystick.merkle.patricia;

import io.tallystick.crypto.Keccak256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A node of a clue trie (Ethereum Yellow Paper, appendix D). All keys have 32 bytes and all values
/// at least 36, so what an Ethereum trie may have besides is refused: a node embedded in its
/// parent, a value at a branch, a branch with fewer than two children.
sealed interface TrieNode {
  /// The longest encoding, a branch with all its children.
  int BYTES_MAX = 3 + 16 * (1 + Digest.BYTES) + 1;

  int RADIX = 16;

  int CHILDREN_MIN = 2;

  /// @param mask bit n is set if there is a child at nibble n
  /// @param children those there are, ascending by nibble
  record Branch(int mask, List<Digest> children) implements TrieNode {
    public Branch {
      children = List.copyOf(children);
      if (mask >>> RADIX != 0 || Integer.bitCount(mask) != children.size()) {
        throw new IllegalArgumentException(children.size() + " children, mask " + mask);
      }
    }

    Optional<Digest> child(int nibble) {
      int below = mask & ((1 << nibble) - 1);
      return (mask >>> nibble & 1) == 0
          ? Optional.empty()
          : Optional.of(children.get(Integer.bitCount(below)));
    }

    @Override
    public Bytes encode() {
      int items = children.size() * (1 + Digest.BYTES) + RADIX - children.size() + 1;
      RlpWriter out = new RlpWriter(RlpWriter.listBytes(items)).list(items);
      for (int nibble = 0; nibble < RADIX; nibble++) {
        child(nibble).ifPresentOrElse(out::digest, () -> out.string(Bytes.EMPTY));
      }
      return out.string(Bytes.EMPTY).toBytes();
    }
  }

  /// The nibbles that all keys below have in common, at least one; the child is a branch.
  record Extension(HexPrefix path, Digest child) implements TrieNode {
    @Override
    public Bytes encode() {
      Bytes nibbles = path.encode();
      int items = RlpWriter.stringBytes(nibbles.unsafeArray()) + 1 + Digest.BYTES;
      return new RlpWriter(RlpWriter.listBytes(items))
          .list(items)
          .string(nibbles)
          .digest(child)
          .toBytes();
    }
  }

  /// The rest of a key, and its value.
  record Leaf(HexPrefix path, ClueValue value) implements TrieNode {
    @Override
    public Bytes encode() {
      Bytes nibbles = path.encode();
      Bytes encoded = value.encode();
      int items =
          RlpWriter.stringBytes(nibbles.unsafeArray())
              + RlpWriter.stringBytes(encoded.unsafeArray());
      return new RlpWriter(RlpWriter.listBytes(items))
          .list(items)
          .string(nibbles)
          .string(encoded)
          .toBytes();
    }
  }

  Bytes encode();

  /// The hash by which the parent, or the root, names a node.
  static Digest hash(Bytes encoded) {
    return Keccak256.hash(encoded.unsafeArray());
  }

  static TrieNode decode(Bytes encoded) throws MalformedException {
    if (encoded.size() > BYTES_MAX) {
      throw new MalformedException("node of " + encoded.size() + " bytes, at most " + BYTES_MAX);
    }
    RlpReader in = new RlpReader(encoded);
    List<Bytes> items = items(in.list());
    in.end();
    return switch (items.size()) {
      case 2 -> ofPath(items.get(0), items.get(1));
      case RADIX + 1 -> branch(items);
      default -> throw new MalformedException("node of " + items.size() + " items, want 2 or 17");
    };
  }

  private static List<Bytes> items(RlpReader in) throws MalformedException {
    List<Bytes> items = new ArrayList<>(RADIX + 1);
    while (in.hasNext()) {
      if (in.atList()) {
        throw new MalformedException("item " + items.size() + " of a node is a list: embedded");
      }
      items.add(in.string("item of a node", ClueValue.BYTES_MAX));
    }
    return items;
  }

  private static TrieNode branch(List<Bytes> items) throws MalformedException {
    int mask = 0;
    List<Digest> children = new ArrayList<>(RADIX);
    for (int nibble = 0; nibble < RADIX; nibble++) {
      Bytes item = items.get(nibble);
      if (!item.isEmpty()) {
        mask |= 1 << nibble;
        children.add(child(item));
      }
    }
    if (!items.get(RADIX).isEmpty()) {
      throw new MalformedException("branch with a value");
    }
    if (children.size() < CHILDREN_MIN) {
      throw new MalformedException("branch with " + children.size() + " children, want 2 to 16");
    }
    return new Branch(mask, children);
  }

  private static TrieNode ofPath(Bytes nibbles, Bytes rest) throws MalformedException {
    HexPrefix path = HexPrefix.decode(nibbles);
    if (path.leaf()) {
      return new Leaf(path, ClueValue.decode(rest));
    }
    if (path.count() == 0) {
      throw new MalformedException("extension without nibbles");
    }
    return new Extension(path, child(rest));
  }

  private static Digest child(Bytes item) throws MalformedException {
    if (item.size() != Digest.BYTES) {
      throw new MalformedException("child of " + item.size() + " bytes, want " + Digest.BYTES);
    }
    return Digest.of(item);
  }
}
