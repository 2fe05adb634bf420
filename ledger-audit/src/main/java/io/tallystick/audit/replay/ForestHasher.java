package io.tallystick.audit.replay;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
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

  /// As many are worth another thread.
  private static final int SHARED_LEAVES_MIN = 64;

  private static final ThreadLocal<ForestHasher> OWN = ThreadLocal.withInitial(ForestHasher::new);

  private final MessageDigest sha = Sha256.newDigest();
  private final BatchHasher batch = BatchHasher.cpu();
  private final CborWriter out = new CborWriter(1 << 12);
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
    byte[] hash =
        switch (node) {
          case PartitionNode.Leaf leaf -> {
            readLeaf(leaf);
            yield finish(0, leaf.count());
          }
          case PartitionNode.Inner inner -> {
            readInner(inner);
            yield finish(inner.level(), inner.count(), rootOverChildren(inner));
          }
        };
    byte[] record = new byte[Digest.BYTES];
    writeChild(hash, node.entryCount());
    record(out.buffer(), 0, out.length(), record, 0);
    node.setHash(hash, record);
    return hash;
  }

  /// Gives the nodes of a tree that have none their hashes, many on all processors.
  void hashAll(PartitionNode root) {
    List<PartitionNode> leaves = new ArrayList<>();
    addUnhashed(root, leaves);
    if (leaves.size() >= SHARED_LEAVES_MIN) {
      leaves.parallelStream().forEach(leaf -> OWN.get().hash(leaf));
    }
    hash(root);
  }

  private static void addUnhashed(PartitionNode node, List<PartitionNode> leaves) {
    if (node.hash() == null) {
      switch (node) {
        case PartitionNode.Leaf leaf -> leaves.add(leaf);
        case PartitionNode.Inner inner -> {
          for (PartitionNode child : inner.children) {
            addUnhashed(child, leaves);
          }
        }
      }
    }
  }

  /// The hashes of a leaf's entries as its records, 32 bytes each.
  byte[] records(PartitionNode.Leaf leaf) {
    byte[] known = leaf.recordHashes();
    if (known != null || leaf.count() == 0) {
      return known == null ? new byte[0] : known;
    }
    byte[] found = new byte[leaf.count() * Digest.BYTES];
    batch.leaves(leaf.packed, leaf.starts(), leaf.count(), found, 0);
    return found;
  }

  /// The same of entries that are in no leaf yet.
  byte[] records(byte[][] entries) {
    int[] offsets = new int[entries.length + 1];
    out.reset();
    for (int i = 0; i < entries.length; i++) {
      out.raw(entries[i], 0, entries[i].length);
      offsets[i + 1] = out.length();
    }
    byte[] found = new byte[entries.length * Digest.BYTES];
    batch.leaves(out.buffer(), offsets, entries.length, found, 0);
    return found;
  }

  /// A leaf of entries that were read.
  ///
  /// @param packed entries that were checked, one behind the other
  PartitionNode.Leaf leaf(byte[] packed, int count) {
    StateEntryView view = new StateEntryView();
    int[] starts = new int[count + 1];
    for (int i = 0; i < count; i++) {
      starts[i + 1] = view.set(packed, starts[i]).end();
    }
    return new PartitionNode.Leaf(packed, starts);
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
    byte[] records = records(leaf);
    System.arraycopy(records, 0, hashes, 0, records.length);
    for (int i = 1; i < leaf.count(); i++) {
      int start = leaf.start(i);
      separator(
          i - 1,
          leaf.packed,
          StateEntryView.keyAt(leaf.packed, start),
          PartitionShape.separatorLength(leaf.packed, leaf.start(i - 1), start));
    }
  }

  private void readInner(PartitionNode.Inner node) {
    for (int i = 0; i < node.children.length; i++) {
      byte[] record = node.children[i].recordHash();
      if (record == null) {
        throw new AssertionError("children are hashed before their parent");
      }
      System.arraycopy(record, 0, hashes, i * Digest.BYTES, Digest.BYTES);
      if (i > 0) {
        byte[] separator = node.separators[i - 1];
        separator(i - 1, separator, 0, separator.length);
      }
    }
  }

  /// @param separator before it; null before the first
  private void child(int index, byte @Nullable [] separator, byte[] hash, long entryCount) {
    if (separator != null) {
      separator(index - 1, separator, 0, separator.length);
    }
    writeChild(hash, entryCount);
    record(out.buffer(), 0, out.length(), hashes, index * Digest.BYTES);
  }

  private void writeChild(byte[] hash, long entryCount) {
    out.reset().array(3).uint(CHILD_TYPE).bytes(hash).uint(entryCount);
  }

  private void separator(int index, byte[] source, int start, int length) {
    sources[index] = source;
    starts[index] = start;
    lengths[index] = length;
  }

  private void record(byte[] bytes, int at, int size, byte[] target, int targetAt) {
    sha.update(RECORD);
    sha.update(bytes, at, size);
    Sha256.finish(sha, target, targetAt);
  }

  private byte[] finish(int level, int count) {
    return finish(level, count, TreeHasher.rootInPlace(batch, hashes, count));
  }

  /// @param records the root over the node's records
  private byte[] finish(int level, int count, Digest records) {
    writeSeparators(count - 1);
    byte[] keysHash = new byte[Digest.BYTES];
    hashWritten(KEYS, keysHash);
    out.reset().array(4).uint(level).uint(count).bytes(keysHash).digest(records);
    byte[] hash = new byte[Digest.BYTES];
    hashWritten(NODE, hash);
    return hash;
  }

  /// The root over the records of an inner node, whose hashes were read. Of the tree of the node
  /// whose place it took, what lies above other records is computed anew.
  private Digest rootOverChildren(PartitionNode.Inner node) {
    byte[][] old = node.takeTree();
    byte[] records = Arrays.copyOf(hashes, node.count() * Digest.BYTES);
    int first = 0;
    int last = node.count() - 1;
    boolean sameSize = old != null && old[0].length == records.length;
    if (old != null) {
      int differs = Arrays.mismatch(old[0], records);
      first = differs < 0 ? last : Math.min(last, differs / Digest.BYTES);
      while (sameSize && last > first && isSame(old[0], records, last)) {
        last--;
      }
    }
    List<byte[]> levels = new ArrayList<>();
    levels.add(records);
    while (levels.getLast().length > Digest.BYTES) {
      byte[] below = levels.getLast();
      byte[] before = old != null && levels.size() < old.length ? old[levels.size()] : null;
      first /= 2;
      last /= 2;
      levels.add(above(below, before, first, last));
    }
    node.setTree(levels.toArray(byte[][]::new));
    return Digest.of(levels.getLast(), 0);
  }

  private static boolean isSame(byte[] one, byte[] other, int index) {
    int at = index * Digest.BYTES;
    return Arrays.equals(one, at, at + Digest.BYTES, other, at, at + Digest.BYTES);
  }

  /// The level above another.
  ///
  /// @param before the same level of the old tree, which has its hashes below `first` and, being as
  ///   long, those behind `last`; null if there is none
  private byte[] above(byte[] below, byte @Nullable [] before, int first, int last) {
    int width = below.length / Digest.BYTES;
    byte[] level = new byte[(width + 1) / 2 * Digest.BYTES];
    int from = 0;
    int to = width / 2;
    if (before != null) {
      System.arraycopy(before, 0, level, 0, Math.min(before.length, level.length));
      from = first;
      to = Math.min(to, last + 1);
    }
    if (to > from) {
      batch.parents(below, 2 * from * Digest.BYTES, to - from, level, from * Digest.BYTES);
    }
    if (width % 2 == 1) {
      System.arraycopy(
          below, below.length - Digest.BYTES, level, level.length - Digest.BYTES, Digest.BYTES);
    }
    return level;
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
