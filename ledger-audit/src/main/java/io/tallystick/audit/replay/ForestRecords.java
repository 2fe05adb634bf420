package io.tallystick.audit.replay;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A forest as an auditor keeps it from one run to the next: the fold, the closed partitions'
/// entries in order, the open partition's tree. Source: `docs/formats/audit-statement.md`.
final class ForestRecords {
  private static final int LEVEL_MAX = 15;
  private static final int RECORDS_MAX = 1024;
  private static final int KEY_BYTES_MAX = 256;

  private ForestRecords() {}

  static void write(ForestReplay forest, OutputStream out) throws IOException {
    DataOutputStream data = new DataOutputStream(out);
    ForestReplay.Fold fold = forest.fold();
    data.writeLong(forest.nextNumber());
    data.writeLong(fold.passEnd());
    data.writeLong(fold.position());
    data.writeLong(fold.carried());
    data.writeLong(fold.carriedBefore());
    data.writeInt(forest.closed().size());
    for (ClosedPartition partition : forest.closed()) {
      write(partition, data);
    }
    OpenPartition open = forest.open();
    data.writeBoolean(open != null);
    if (open != null) {
      data.writeLong(open.number);
      data.writeLong(open.firstHeight);
      write(open.root(), data);
    }
    data.flush();
  }

  private static void write(ClosedPartition partition, DataOutputStream data) throws IOException {
    ClosedPartition.Head head = partition.head();
    data.writeLong(head.number());
    data.writeLong(head.firstHeight());
    data.writeLong(head.lastHeight());
    data.writeLong(head.entryCount());
    data.write(head.rootHash().unsafeArray());
    ClosedPartition.Cursor cursor = partition.new Cursor();
    for (long i = 0; i < head.entryCount(); i++) {
      write(cursor.next(), data);
    }
  }

  private static void write(StateEntryView entry, DataOutputStream data) throws IOException {
    int size = entry.end() - entry.start();
    data.writeShort(size);
    data.write(entry.bytes(), entry.start(), size);
  }

  private static void write(PartitionNode node, DataOutputStream data) throws IOException {
    data.writeByte(node.level());
    data.writeShort(node.count());
    switch (node) {
      case PartitionNode.Leaf leaf -> {
        StateEntryView view = new StateEntryView();
        for (int at = 0; at < leaf.packed.length; at = view.end()) {
          write(view.set(leaf.packed, at), data);
        }
      }
      case PartitionNode.Inner inner -> {
        for (byte[] separator : inner.separators) {
          data.writeShort(separator.length);
          data.write(separator);
        }
        for (PartitionNode child : inner.children) {
          write(child, data);
        }
      }
    }
  }

  /// @param forest an empty one
  /// @throws MalformedException if this cannot have been written
  static void read(InputStream in, ForestReplay forest) throws IOException, MalformedException {
    DataInputStream data = new DataInputStream(in);
    try {
      long nextNumber = data.readLong();
      ForestReplay.Fold fold =
          new ForestReplay.Fold(data.readLong(), data.readLong(), data.readLong(), data.readLong());
      int count = data.readInt();
      List<ClosedPartition> closed = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        closed.add(readClosed(data, forest));
      }
      OpenPartition open = null;
      long[] bytes = new long[1];
      if (data.readBoolean()) {
        open =
            new OpenPartition(
                data.readLong(),
                data.readLong(),
                readNode(data, LEVEL_MAX + 1, bytes, forest.hasher()));
      }
      checkFold(fold, closed);
      forest.restore(nextNumber, fold, closed, open, bytes[0]);
    } catch (EOFException e) {
      throw new MalformedException("it breaks off", e);
    }
    if (data.read() >= 0) {
      throw new MalformedException("bytes are left over behind the forest");
    }
  }

  private static void checkFold(ForestReplay.Fold fold, List<ClosedPartition> closed)
      throws MalformedException {
    boolean inside =
        fold.runs()
            ? !closed.isEmpty() && fold.position() < closed.getFirst().entryCount()
            : fold.position() == 0 || !closed.isEmpty();
    if (fold.position() < 0 || fold.carried() < 0 || fold.carriedBefore() < 0 || !inside) {
      throw new MalformedException("a fold at " + fold);
    }
  }

  private static ClosedPartition readClosed(DataInputStream data, ForestReplay forest)
      throws IOException, MalformedException {
    long number = data.readLong();
    long firstHeight = data.readLong();
    long lastHeight = data.readLong();
    long entryCount = data.readLong();
    byte[] rootHash = new byte[Digest.BYTES];
    data.readFully(rootHash);
    if (number < 0 || firstHeight < 0 || lastHeight < firstHeight || entryCount < 1) {
      throw new MalformedException("partition " + number + " of " + entryCount + " entries");
    }
    ClosedPartition.Writer writer =
        forest.closedWriter(
            new ClosedPartition.Head(
                number, firstHeight, lastHeight, entryCount, Bytes.wrap(rootHash)));
    StateEntryView view = new StateEntryView();
    byte[] before = null;
    for (long i = 0; i < entryCount; i++) {
      before = readEntry(data, view, before);
      writer.add(view);
    }
    return writer.finish();
  }

  /// @param before the key that must be below; null for the first
  /// @return its key
  private static byte[] readEntry(
      DataInputStream data, StateEntryView view, byte @Nullable [] before)
      throws IOException, MalformedException {
    byte[] entry = new byte[data.readUnsignedShort()];
    data.readFully(entry);
    view.read(entry, 0, entry.length);
    if (view.end() != entry.length) {
      throw new MalformedException("bytes behind an entry");
    }
    if (before != null && view.compareKey(before) <= 0) {
      throw new MalformedException(
          "key " + Printable.name(view.key()) + " is not above the one before");
    }
    return view.key().unsafeArray();
  }

  /// @param above the level of the parent
  /// @param bytes adds up what nodes take in memory
  private static PartitionNode readNode(
      DataInputStream data, int above, long[] bytes, ForestHasher hasher)
      throws IOException, MalformedException {
    int level = data.readUnsignedByte();
    int count = data.readUnsignedShort();
    if (level >= above || count < (level == 0 ? 1 : 2) || count > RECORDS_MAX) {
      throw new MalformedException("node of level " + level + " with " + count + " records");
    }
    PartitionNode node =
        level == 0 ? readLeaf(data, count, hasher) : readInner(data, level, count, bytes, hasher);
    bytes[0] += node.bytes();
    return node;
  }

  private static PartitionNode readLeaf(DataInputStream data, int count, ForestHasher hasher)
      throws IOException, MalformedException {
    byte[] packed = new byte[count * StateEntryView.BYTES_MAX];
    StateEntryView view = new StateEntryView();
    byte[] before = null;
    int length = 0;
    for (int i = 0; i < count; i++) {
      before = readEntry(data, view, before);
      if (view.end() > StateEntryView.BYTES_MAX) {
        throw new MalformedException("entry of " + view.end() + " bytes");
      }
      System.arraycopy(view.bytes(), 0, packed, length, view.end());
      length += view.end();
    }
    return hasher.leaf(Arrays.copyOf(packed, length), count);
  }

  private static PartitionNode readInner(
      DataInputStream data, int level, int count, long[] bytes, ForestHasher hasher)
      throws IOException, MalformedException {
    byte[][] separators = new byte[count - 1][];
    for (int i = 0; i < separators.length; i++) {
      int length = data.readUnsignedShort();
      if (length < 1 || length > KEY_BYTES_MAX) {
        throw new MalformedException("separator of " + length + " bytes");
      }
      separators[i] = new byte[length];
      data.readFully(separators[i]);
    }
    PartitionNode[] children = new PartitionNode[count];
    for (int i = 0; i < count; i++) {
      children[i] = readNode(data, level, bytes, hasher);
      if (children[i].level() != level - 1) {
        throw new MalformedException("node of level " + children[i].level() + " below " + level);
      }
    }
    return new PartitionNode.Inner(level, children, separators);
  }
}
