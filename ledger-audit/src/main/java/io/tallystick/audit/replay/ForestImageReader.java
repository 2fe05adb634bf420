package io.tallystick.audit.replay;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Reads the forest as of a purge, which its source may have made up: the heads of the partitions
/// must give a root that is known, each tree what its head says, and the fold must not be able to
/// lose a value. Used once. Source: `docs/formats/audit-statement.md`, "State as of a purge".
final class ForestImageReader {
  private static final Bytes MAGIC = Bytes.utf8("TALLYSTI");
  private static final int VERSION = 1;
  private static final int PARTITIONS_MAX = 65_535;
  private static final int LEVEL_MAX = 15;
  private static final int RECORDS_MAX = 1024;
  private static final int KEY_BYTES_MAX = 256;

  private final DataInputStream data;
  private final ForestReplay forest;
  private final ForestHasher hasher;
  private final StateEntryView view = new StateEntryView();

  /// The writer that gets the entries of the partition that is being read; null if that one is
  /// open.
  private ClosedPartition.@Nullable Writer closing;

  private long entriesLeft;
  private long openBytes;

  /// @param forest an empty one
  ForestImageReader(InputStream in, ForestReplay forest) {
    this.data = new DataInputStream(in);
    this.forest = forest;
    this.hasher = forest.hasher();
  }

  /// @param lastHeight negative while it is open
  private record Head(
      long number, long firstHeight, long lastHeight, long entryCount, Bytes rootHash) {
    boolean isOpen() {
      return lastHeight < 0;
    }
  }

  /// A node that was read.
  ///
  /// @param kept null in a closed partition
  private record Node(int level, Bytes hash, long entryCount, @Nullable PartitionNode kept) {
    ForestHasher.Child child() {
      return new ForestHasher.Child(hash, entryCount);
    }
  }

  /// The keys that belong below a node.
  ///
  /// @param low the lowest; null without a bound
  /// @param high above all; null without a bound
  private record Slot(@Nullable Bytes low, @Nullable Bytes high) {
    static final Slot ALL = new Slot(null, null);

    boolean has(Bytes key) {
      return (low == null || key.compareTo(low) >= 0) && (high == null || key.compareTo(high) < 0);
    }
  }

  void read(Digest root) throws IOException, MalformedException {
    try {
      if (!Bytes.wrap(data.readNBytes(MAGIC.size())).equals(MAGIC)) {
        throw new MalformedException("it is no file of a state as of a purge");
      }
      int version = data.readInt();
      if (version != VERSION) {
        throw new MalformedException(
            "version " + Integer.toUnsignedString(version) + ", this auditor reads " + VERSION);
      }
      long nextNumber = data.readLong();
      ForestReplay.Fold fold =
          new ForestReplay.Fold(data.readLong(), data.readLong(), data.readLong(), data.readLong());
      List<Head> heads = heads(nextNumber);
      checkRoot(heads, root);
      checkPlace(fold, heads);
      List<ClosedPartition> closed = new ArrayList<>();
      OpenPartition open = null;
      for (Head head : heads) {
        if (head.isOpen()) {
          open = open(head);
        } else {
          closed.add(closed(head));
        }
      }
      if (data.read() >= 0) {
        throw new MalformedException("bytes are left over behind the trees");
      }
      forest.restore(nextNumber, fold, closed, open, openBytes);
    } catch (EOFException e) {
      throw new MalformedException("it breaks off", e);
    }
    checkLookedAt();
  }

  private List<Head> heads(long nextNumber) throws IOException, MalformedException {
    int count = data.readInt();
    if (count < 1 || count > PARTITIONS_MAX) {
      throw new MalformedException(Integer.toUnsignedString(count) + " partitions");
    }
    List<Head> heads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Head head =
          new Head(
              data.readLong(),
              data.readLong(),
              data.readLong(),
              data.readLong(),
              bytes(Digest.BYTES));
      check(head, nextNumber - count + i, i == count - 1);
      heads.add(head);
    }
    return heads;
  }

  private Bytes bytes(int count) throws IOException {
    byte[] bytes = new byte[count];
    data.readFully(bytes);
    return Bytes.wrap(bytes);
  }

  private void check(Head head, long number, boolean newest) throws MalformedException {
    boolean heights =
        head.firstHeight >= 0 && (head.isOpen() ? newest : head.lastHeight >= head.firstHeight);
    boolean full = head.entryCount >= forest.capacity();
    if (number < 0
        || head.number != number
        || head.lastHeight < -1
        || !heights
        || head.entryCount < 1
        || full == head.isOpen()) {
      throw new MalformedException(
          String.format(
              Locale.ROOT,
              "partition %d, want %d, of blocks %d to %d, with %d entries",
              head.number,
              number,
              head.firstHeight,
              head.lastHeight,
              head.entryCount));
    }
  }

  private void checkRoot(List<Head> heads, Digest root) throws MalformedException {
    List<Bytes> records = new ArrayList<>();
    for (Head head : heads) {
      records.add(
          hasher.partition(
              head.number,
              head.firstHeight,
              head.isOpen() ? null : head.lastHeight,
              head.entryCount,
              head.rootHash.unsafeArray()));
    }
    Digest found = hasher.forest(records);
    if (!found.equals(root)) {
      throw new MalformedException("its state gives root " + found + ", the seal has " + root);
    }
  }

  private static void checkPlace(ForestReplay.Fold fold, List<Head> heads)
      throws MalformedException {
    boolean inside = fold.passEnd() == -1 && fold.position() == 0;
    for (Head head : heads) {
      inside |= head.number == fold.passEnd() && !head.isOpen();
    }
    if (fold.runs() && fold.position() >= heads.getFirst().entryCount) {
      inside = false;
    }
    if (fold.position() < 0 || fold.carried() < 0 || fold.carriedBefore() < 0 || !inside) {
      throw new MalformedException("a fold at " + fold);
    }
  }

  private OpenPartition open(Head head) throws IOException, MalformedException {
    entriesLeft = head.entryCount;
    PartitionNode root = tree(head).kept();
    if (root == null) {
      throw new AssertionError("the nodes of an open partition are kept");
    }
    return new OpenPartition(head.number, head.firstHeight, root);
  }

  private ClosedPartition closed(Head head) throws IOException, MalformedException {
    ClosedPartition.Writer writer =
        forest.closedWriter(
            new ClosedPartition.Head(
                head.number, head.firstHeight, head.lastHeight, head.entryCount, head.rootHash));
    closing = writer;
    entriesLeft = head.entryCount;
    var _ = tree(head);
    closing = null;
    return writer.finish();
  }

  private Node tree(Head head) throws IOException, MalformedException {
    Node root = node(LEVEL_MAX + 1, Slot.ALL);
    if (root.entryCount != head.entryCount || !root.hash.equals(head.rootHash)) {
      throw new MalformedException("the tree of partition " + head.number + " is another");
    }
    return root;
  }

  /// @param above the level of the parent
  private Node node(int above, Slot slot) throws IOException, MalformedException {
    int level = data.readUnsignedByte();
    int count = data.readUnsignedShort();
    if (level >= above || count < (level == 0 ? 1 : 2) || count > RECORDS_MAX) {
      throw new MalformedException("node of level " + level + " with " + count + " records");
    }
    return level == 0 ? leaf(count, slot) : inner(level, count, slot);
  }

  private Node leaf(int count, Slot slot) throws IOException, MalformedException {
    entriesLeft -= count;
    if (entriesLeft < 0) {
      throw new MalformedException("more entries than the partition has");
    }
    byte[] packed = new byte[count * StateEntryView.BYTES_MAX];
    Bytes before = null;
    int length = 0;
    for (int i = 0; i < count; i++) {
      int size = data.readUnsignedShort();
      if (size > StateEntryView.BYTES_MAX) {
        throw new MalformedException("entry of " + size + " bytes");
      }
      data.readFully(packed, length, size);
      view.read(packed, length, length + size);
      Bytes key = view.key();
      if (view.end() != length + size) {
        throw new MalformedException("bytes behind an entry");
      }
      if ((before != null && before.compareTo(key) >= 0) || !slot.has(key)) {
        throw new MalformedException("key " + Printable.name(key) + " does not belong there");
      }
      before = key;
      length += size;
    }
    PartitionNode.Leaf leaf = hasher.leaf(Arrays.copyOf(packed, length), count);
    Bytes hash = Bytes.copyOf(hasher.hash(leaf));
    if (closing == null) {
      openBytes += leaf.bytes();
      return new Node(0, hash, count, leaf);
    }
    closing.add(leaf.packed);
    return new Node(0, hash, count, null);
  }

  private Node inner(int level, int count, Slot slot) throws IOException, MalformedException {
    List<Bytes> separators = new ArrayList<>();
    Bytes low = slot.low;
    for (int i = 1; i < count; i++) {
      int length = data.readUnsignedShort();
      if (length < 1 || length > KEY_BYTES_MAX) {
        throw new MalformedException("separator of " + length + " bytes");
      }
      Bytes separator = bytes(length);
      if (!slot.has(separator) || (low != null && low.compareTo(separator) >= 0)) {
        throw new MalformedException("separator " + separator + " does not belong there");
      }
      separators.add(separator);
      low = separator;
    }
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Slot below =
          new Slot(
              i == 0 ? slot.low : separators.get(i - 1),
              i == count - 1 ? slot.high : separators.get(i));
      Node node = node(level, below);
      if (node.level != level - 1) {
        throw new MalformedException("node of level " + node.level + " below " + level);
      }
      nodes.add(node);
    }
    byte[][] cuts = separators.stream().map(Bytes::unsafeArray).toArray(byte[][]::new);
    return closing == null ? kept(level, nodes, cuts) : closedInner(level, nodes, cuts);
  }

  private Node kept(int level, List<Node> nodes, byte[][] separators) {
    PartitionNode.Inner inner =
        new PartitionNode.Inner(
            level, nodes.stream().map(Node::kept).toArray(PartitionNode[]::new), separators);
    openBytes += inner.bytes();
    return new Node(level, Bytes.copyOf(hasher.hash(inner)), inner.entryCount(), inner);
  }

  private Node closedInner(int level, List<Node> nodes, byte[][] separators) {
    Bytes hash =
        Bytes.wrap(hasher.hash(level, separators, nodes.stream().map(Node::child).toList()));
    long entries = nodes.stream().mapToLong(Node::entryCount).sum();
    return new Node(level, hash, entries, null);
  }

  /// Checks that each entry the fold has looked at is superseded, deleted, or was carried over.
  private void checkLookedAt() throws IOException, MalformedException {
    if (forest.fold().position() == 0) {
      return;
    }
    ClosedPartition.Cursor cursor = forest.closed().getFirst().new Cursor();
    for (long i = 0; i < forest.fold().position(); i++) {
      StateEntryView entry = cursor.next();
      if (entry.present() && !forest.isNewer(entry.key().unsafeArray())) {
        throw new MalformedException(
            "the fold has passed key "
                + Printable.name(entry.key())
                + ", which no newer partition has");
      }
    }
  }
}
