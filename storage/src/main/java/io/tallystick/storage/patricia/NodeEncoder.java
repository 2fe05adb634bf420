package io.tallystick.storage.patricia;

import io.tallystick.crypto.Keccak256;
import io.tallystick.hashing.HashBuffer;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Encodes nodes in RLP and hashes them. Keys have 32 bytes and values at least 32, so that every
/// node but an empty one has 32 bytes or more and is referred to by its hash: none is embedded in
/// its parent. One thread's; allocation-free but for the RLP that a branch keeps.
///
/// Source: Ethereum Yellow Paper, appendices B (RLP), C (hex prefix) and D (trie).
final class NodeEncoder {
  private static final int STRING = 0x80;
  private static final int LIST = 0xc0;
  private static final int SHORT_MAX = 55;
  private static final int HASH_PREFIX = STRING + Digest.BYTES;
  private static final int LEAF_FLAG = 0x20;
  private static final int ODD_FLAG = 0x10;
  private static final int HEAD_BYTES_MAX = 3;
  private static final int BYTES_MAX = 640;

  private final byte[] buffer = new byte[BYTES_MAX];
  private final byte[] digest = new byte[Digest.BYTES];
  private final Keccak256 keccak = new Keccak256();
  private int start;
  private int end;

  /// Adds the RLP of a node whose children have their hashes to a message, to be hashed by the
  /// caller.
  void encode(Node node, HashBuffer target) {
    encode(node);
    target.put(buffer, start, end - start);
    keepEncoding(node);
  }

  /// Whether a node holds what this hash is of.
  boolean hasHash(Node node, Node want) {
    digest(node);
    return want.hasHash(digest, 0);
  }

  private void digest(Node node) {
    encode(node);
    keccak.digest(buffer, start, end - start, digest, 0);
    keepEncoding(node);
  }

  private void keepEncoding(Node node) {
    if (node instanceof BranchNode branch) {
      branch.rlp = Arrays.copyOfRange(buffer, start, end);
    }
  }

  /// The RLP of a node that has its hash.
  Bytes bytes(Node node) {
    if (node instanceof BranchNode branch && branch.rlp != null) {
      return Bytes.copyOf(branch.rlp, 0, branch.rlp.length);
    }
    encode(node);
    return Bytes.copyOf(buffer, start, end - start);
  }

  private void encode(Node node) {
    end = HEAD_BYTES_MAX;
    switch (node) {
      case LeafNode leaf -> {
        key(leaf);
        string(leaf.value);
      }
      case ExtensionNode extension -> {
        nibbles(extension.nibbles);
        reference(extension.child(0));
      }
      case BranchNode branch -> {
        children(branch);
        buffer[end++] = (byte) STRING; // no value
      }
      case RootHolder _, StoredNode _ ->
          throw new AssertionError("no node to encode: " + node.getClass().getSimpleName());
    }
    listHead();
  }

  private void listHead() {
    int length = end - HEAD_BYTES_MAX;
    if (length <= SHORT_MAX) {
      start = HEAD_BYTES_MAX - 1;
      buffer[start] = (byte) (LIST + length);
    } else if (length <= 0xff) {
      start = HEAD_BYTES_MAX - 2;
      buffer[start] = (byte) (LIST + SHORT_MAX + 1);
      buffer[start + 1] = (byte) length;
    } else {
      start = 0;
      buffer[0] = (byte) (LIST + SHORT_MAX + 2);
      buffer[1] = (byte) (length >> 8);
      buffer[2] = (byte) length;
    }
  }

  /// The references of a branch, those that did not change from its RLP of before.
  private void children(BranchNode branch) {
    byte[] before = branch.rlp;
    int changed = branch.takeChanged();
    int from = before == null ? 0 : headBytes(before);
    for (int i = 0; i < BranchNode.WIDTH; i++) {
      int bytes = before != null && before[from] == (byte) HASH_PREFIX ? 1 + Digest.BYTES : 1;
      if (before == null || ((changed >> i) & 1) == 1) {
        reference(branch.child(i));
      } else if (bytes == 1) {
        buffer[end++] = (byte) STRING;
      } else {
        System.arraycopy(before, from, buffer, end, bytes);
        end += bytes;
      }
      from += bytes;
    }
  }

  private static int headBytes(byte[] list) {
    int first = list[0] & 0xff;
    return first <= LIST + SHORT_MAX ? 1 : 1 + first - LIST - SHORT_MAX;
  }

  private void reference(@Nullable Node child) {
    if (child == null) {
      buffer[end++] = (byte) STRING;
      return;
    }
    buffer[end] = (byte) HASH_PREFIX;
    child.copyHash(buffer, end + 1);
    end += 1 + Digest.BYTES;
  }

  private void string(byte[] value) {
    if (value.length > SHORT_MAX) {
      buffer[end++] = (byte) (STRING + SHORT_MAX + 1);
      buffer[end++] = (byte) value.length;
    } else {
      buffer[end++] = (byte) (STRING + value.length);
    }
    System.arraycopy(value, 0, buffer, end, value.length);
    end += value.length;
  }

  /// The rest of a leaf's key, hex-prefixed.
  private void key(LeafNode leaf) {
    int depth = leaf.depth;
    int first = LEAF_FLAG;
    if ((depth & 1) == 1) {
      first |= ODD_FLAG | Nibbles.at(leaf.key, 0, depth);
      depth++;
    }
    int rest = (Nibbles.KEY_NIBBLES - depth) / 2;
    prefixed(first, rest);
    System.arraycopy(leaf.key, Nibbles.KEY_BYTES - rest, buffer, end, rest);
    end += rest;
  }

  private void nibbles(byte[] nibbles) {
    int at = nibbles.length & 1;
    prefixed(at == 1 ? ODD_FLAG | nibbles[0] : 0, nibbles.length / 2);
    for (; at < nibbles.length; at += 2) {
      buffer[end++] = (byte) ((nibbles[at] << 4) | nibbles[at + 1]);
    }
  }

  /// The string head and first byte of a hex prefix; a single byte below 0x80 is its own string.
  private void prefixed(int first, int rest) {
    if (rest > 0) {
      buffer[end++] = (byte) (STRING + 1 + rest);
    }
    buffer[end++] = (byte) first;
  }
}
