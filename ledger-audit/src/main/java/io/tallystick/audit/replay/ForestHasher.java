package io.tallystick.audit.replay;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The hashes of the replayed forest. Not thread-safe. Source: `docs/formats/forest.md`, "Bytes".
final class ForestHasher {
  private static final byte RECORD = 0;
  private static final byte NODE = 2;
  private static final byte KEYS = 3;
  private static final int CHILD_TYPE = 5;
  private static final int PARTITION_TYPE = 6;
  private static final byte[] FOREST = "tallystick/forest/1\0".getBytes(StandardCharsets.US_ASCII);

  private final MessageDigest sha = Sha256.newDigest();
  private final BatchHasher batch = BatchHasher.cpu();
  private final CborWriter out = new CborWriter(1 << 12);
  private StateEntryView left = new StateEntryView();
  private StateEntryView right = new StateEntryView();
  private byte[] hashes = new byte[64 * Digest.BYTES];

  /// The separators of the node being hashed: `lengths[i]` bytes of `sources[i]` from `starts[i]`.
  private byte[][] sources = new byte[64][];

  private int[] starts = new int[64];
  private int[] lengths = new int[64];

  /// The hash of a node and, where they are not known yet, of those below.
  byte[] hash(PartitionNode node) {
    byte[] known = node.hash();
    if (known != null) {
      return known;
    }
    if (node instanceof PartitionNode.Inner inner) {
      for (PartitionNode child : inner.children) {
        hash(child);
      }
    }
    room(node.count());
    switch (node) {
      case PartitionNode.Leaf leaf -> readLeaf(leaf);
      case PartitionNode.Inner inner -> readInner(inner);
    }
    byte[] hash = finish(node.level(), node.count());
    node.setHash(hash);
    return hash;
  }

  /// The part of a node that its parent's record holds: hash and entry count.
  record Child(Bytes hash, long entryCount) {}

  /// The hash of an inner node whose children are known by their hashes alone.
  byte[] hash(int level, byte[][] separators, List<Child> children) {
    room(children.size());
    for (int i = 0; i < children.size(); i++) {
      Child child = children.get(i);
      child(i, i == 0 ? null : separators[i - 1], child.hash.unsafeArray(), child.entryCount);
    }
    return finish(level, children.size());
  }

  private void room(int count) {
    if (hashes.length < count * Digest.BYTES) {
      hashes = new byte[count * Digest.BYTES];
      sources = new byte[count][];
      starts = new int[count];
      lengths = new int[count];
    }
  }

  private void readLeaf(PartitionNode.Leaf leaf) {
    int at = 0;
    for (int i = 0; i < leaf.count(); i++) {
      right.set(leaf.packed, at);
      if (i > 0) {
        separator(i - 1, leaf.packed, right.keyAt(), PartitionShape.separatorLength(left, right));
      }
      record(i, leaf.packed, at, right.end() - at);
      at = right.end();
      StateEntryView before = left;
      left = right;
      right = before;
    }
  }

  private void readInner(PartitionNode.Inner node) {
    for (int i = 0; i < node.children.length; i++) {
      PartitionNode child = node.children[i];
      child(i, i == 0 ? null : node.separators[i - 1], hash(child), child.entryCount());
    }
  }

  /// @param separator before it; null before the first
  private void child(int index, byte @Nullable [] separator, byte[] hash, long entryCount) {
    if (separator != null) {
      separator(index - 1, separator, 0, separator.length);
    }
    out.reset().array(3).uint(CHILD_TYPE).bytes(hash).uint(entryCount);
    record(index, out.buffer(), 0, out.length());
  }

  private void separator(int index, byte[] source, int start, int length) {
    sources[index] = source;
    starts[index] = start;
    lengths[index] = length;
  }

  private void record(int index, byte[] bytes, int at, int size) {
    sha.update(RECORD);
    sha.update(bytes, at, size);
    Sha256.finish(sha, hashes, index * Digest.BYTES);
  }

  private byte[] finish(int level, int count) {
    writeSeparators(count - 1);
    byte[] keysHash = new byte[Digest.BYTES];
    hashWritten(KEYS, keysHash);
    Digest root = TreeHasher.rootInPlace(batch, hashes, count);
    out.reset().array(4).uint(level).uint(count).bytes(keysHash).digest(root);
    byte[] hash = new byte[Digest.BYTES];
    hashWritten(NODE, hash);
    return hash;
  }

  private void hashWritten(byte prefix, byte[] target) {
    sha.update(prefix);
    sha.update(out.buffer(), 0, out.length());
    Sha256.finish(sha, target, 0);
  }

  /// Writes the separators, before them the prefix of all: as they ascend, all have in common what
  /// the first and the last have.
  private void writeSeparators(int count) {
    int shared = 0;
    if (count > 0) {
      int last = count - 1;
      int differs =
          Arrays.mismatch(
              sources[0],
              starts[0],
              starts[0] + lengths[0],
              sources[last],
              starts[last],
              starts[last] + lengths[last]);
      shared = differs < 0 ? lengths[0] : differs;
      out.reset().array(2).bytes(sources[0], starts[0], shared);
    } else {
      out.reset().array(2).bytes(new byte[0]);
    }
    out.array(count);
    for (int i = 0; i < count; i++) {
      out.bytes(sources[i], starts[i] + shared, lengths[i] - shared);
    }
  }

  /// A partition's record.
  ///
  /// @param lastHeight null while it is open
  Bytes partition(
      long number, long firstHeight, @Nullable Long lastHeight, long entryCount, byte[] rootHash) {
    out.reset().array(6).uint(PARTITION_TYPE).uint(number).uint(firstHeight);
    if (lastHeight == null) {
      out.nil();
    } else {
      out.uint(lastHeight);
    }
    return out.uint(entryCount).bytes(rootHash).toBytes();
  }

  /// The state root over all partitions, oldest first.
  Digest forest(List<Bytes> partitions) {
    Digest root = TreeHasher.rootOverData(partitions);
    out.reset().array(2).uint(partitions.size()).digest(root);
    sha.update(FOREST);
    sha.update(out.buffer(), 0, out.length());
    byte[] hash = new byte[Digest.BYTES];
    Sha256.finish(sha, hash, 0);
    return Digest.of(hash);
  }
}
