package io.tallystick.merkle;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.security.MessageDigest;
import java.util.List;
import java.util.Objects;

/// The hashes of RFC 9162 section 2.1.1: a leaf is SHA-256(0x00 ‖ data), a node SHA-256(0x01 ‖ left
/// ‖ right), the root over nothing SHA-256(""). Thread-safe.
public final class TreeHasher {
  /// The root of a tree without leaves.
  public static final Digest EMPTY_ROOT = Sha256.hash();

  private static final byte LEAF_PREFIX = 0;
  private static final byte NODE_PREFIX = 1;
  private static final int NODE_BYTES = 1 + 2 * Digest.BYTES;
  private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

  private TreeHasher() {}

  public static Digest leafHash(byte[] data) {
    return leafHash(data, 0, data.length);
  }

  public static Digest leafHash(Bytes data) {
    return leafHash(data.unsafeArray());
  }

  /// The leaf hash of a hash: "root over X" hashes each X as a leaf, also when X is itself a hash.
  public static Digest leafHash(Digest data) {
    return leafHash(data.toArray());
  }

  public static Digest leafHash(byte[] data, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, data.length);
    Scratch scratch = SCRATCH.get();
    scratch.digest.update(LEAF_PREFIX);
    scratch.digest.update(data, offset, length);
    return scratch.finish();
  }

  public static Digest nodeHash(Digest left, Digest right) {
    Scratch scratch = SCRATCH.get();
    scratch.bytes[0] = NODE_PREFIX;
    left.copyInto(scratch.bytes, 1);
    right.copyInto(scratch.bytes, 1 + Digest.BYTES);
    scratch.digest.update(scratch.bytes, 0, NODE_BYTES);
    return scratch.finish();
  }

  /// Node hashes on the calling thread, as {@link NodeHasher#parents} says. Allocation-free.
  ///
  /// @throws IndexOutOfBoundsException before it has hashed anything, if an array is too short
  public static void parents(
      byte[] children, int childOffset, int count, byte[] parents, int parentOffset) {
    Objects.checkFromIndexSize(childOffset, 2L * count * Digest.BYTES, (long) children.length);
    Objects.checkFromIndexSize(parentOffset, (long) count * Digest.BYTES, (long) parents.length);
    Scratch scratch = SCRATCH.get();
    byte[] node = scratch.bytes;
    node[0] = NODE_PREFIX;
    for (int i = 0; i < count; i++) {
      System.arraycopy(children, childOffset + i * 2 * Digest.BYTES, node, 1, 2 * Digest.BYTES);
      scratch.digest.update(node, 0, NODE_BYTES);
      Sha256.finish(scratch.digest, parents, parentOffset + i * Digest.BYTES);
    }
  }

  /// The root over data whose leaf hashes these are.
  public static Digest rootOverLeafHashes(List<Digest> leafHashes) {
    byte[] hashes = flatten(leafHashes);
    return rootInPlace(TreeHasher::parents, hashes, leafHashes.size());
  }

  /// The root over byte strings, each hashed as a leaf.
  public static Digest rootOverData(List<Bytes> data) {
    byte[] hashes = new byte[Math.multiplyExact(data.size(), Digest.BYTES)];
    for (int i = 0; i < data.size(); i++) {
      leafHash(data.get(i)).copyInto(hashes, i * Digest.BYTES);
    }
    return rootInPlace(TreeHasher::parents, hashes, data.size());
  }

  /// The root over hashes, each hashed as a leaf.
  public static Digest rootOverHashes(List<Digest> data) {
    byte[] hashes = flatten(data);
    MessageDigest digest = SCRATCH.get().digest;
    for (int at = 0; at < hashes.length; at += Digest.BYTES) {
      digest.update(LEAF_PREFIX);
      digest.update(hashes, at, Digest.BYTES);
      Sha256.finish(digest, hashes, at);
    }
    return rootInPlace(TreeHasher::parents, hashes, data.size());
  }

  /// The root over `count` leaf hashes, level by level. About `count` node hashes, no allocation
  /// but the result.
  ///
  /// @param hashes leaf hash `i` at `32 * i`; overwritten
  public static Digest rootInPlace(NodeHasher hasher, byte[] hashes, int count) {
    Objects.checkFromIndexSize(0, (long) count * Digest.BYTES, (long) hashes.length);
    if (count == 0) {
      return EMPTY_ROOT;
    }
    int width = count;
    while (width > 1) {
      width = parentLevel(hasher, hashes, width);
    }
    return Digest.of(hashes, 0);
  }

  /// Replaces a level of `width` nodes by the level above it: pairs are joined, an odd last node
  /// moves up unchanged, which is RFC 9162's split at the largest power of two.
  ///
  /// @param hashes node `i` at `32 * i`; the parents overwrite them from 0 on
  /// @return the width of the level above
  public static int parentLevel(NodeHasher hasher, byte[] hashes, int width) {
    int pairs = width / 2;
    if (pairs > 0) {
      hasher.parents(hashes, 0, pairs, hashes, 0);
    }
    if (width % 2 == 1) {
      System.arraycopy(
          hashes, (width - 1) * Digest.BYTES, hashes, pairs * Digest.BYTES, Digest.BYTES);
    }
    return width - pairs;
  }

  /// The hash of neighbouring complete subtrees of falling size, as at the ragged right edge of a
  /// tree: each is joined to all that is right of it.
  public static Digest foldRight(List<Digest> subtrees) {
    Digest hash = subtrees.getLast();
    for (int i = subtrees.size() - 2; i >= 0; i--) {
      hash = nodeHash(subtrees.get(i), hash);
    }
    return hash;
  }

  static byte[] flatten(List<Digest> hashes) {
    byte[] flat = new byte[Math.multiplyExact(hashes.size(), Digest.BYTES)];
    for (int i = 0; i < hashes.size(); i++) {
      hashes.get(i).copyInto(flat, i * Digest.BYTES);
    }
    return flat;
  }

  private static final class Scratch {
    private final MessageDigest digest = Sha256.newDigest();
    private final byte[] bytes = new byte[NODE_BYTES];

    private Digest finish() {
      Sha256.finish(digest, bytes, 0);
      return Digest.of(bytes, 0);
    }
  }
}
