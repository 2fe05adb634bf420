package io.tallystick.storage.forest;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StoredBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Reads an image back into slots, node by node, each compared with the hash that its parent has of
/// it. Takes memory for the references of one level of a partition. For the owner.
final class ImageLoad implements AutoCloseable {
  private static final int NODES_PER_FLUSH = 1024;

  private final ForestStore store;
  private final StrandId strand;
  private final DiskFile file;
  private final byte[] header;
  private final NodeHashing hashing = new NodeHashing();
  private long position = ForestImage.HEADER_BYTES;
  private int unflushed;

  private ImageLoad(ForestStore store, StrandId strand, DiskFile file, byte[] header) {
    this.store = store;
    this.strand = strand;
    this.file = file;
    this.header = header;
  }

  /// @throws CorruptStreamException if there is no image of the strand under that name
  static ImageLoad open(ForestStore store, Disk disk, String name, StrandId strand)
      throws IOException, CorruptStreamException {
    if (!disk.exists(name)) {
      throw new CorruptStreamException(name, 0, "the image is missing");
    }
    DiskFile file = disk.open(name);
    boolean good = false;
    try {
      byte[] header = StoredBytes.read(file, 0, ForestImage.HEADER_BYTES);
      if (!Arrays.equals(header, ForestImage.header(strand, ForestImage.heightOf(header)))) {
        throw new CorruptStreamException(name, 0, "the header is another");
      }
      good = true;
      return new ImageLoad(store, strand, file, header);
    } finally {
      if (!good) {
        file.close();
      }
    }
  }

  /// The height of the block after which the state was this.
  long height() {
    return ForestImage.heightOf(header);
  }

  private CorruptStreamException damage(long at, String what) {
    return new CorruptStreamException(file.name(), at, what);
  }

  /// The state, whose nodes can be read at their addresses.
  ForestVersion version() throws IOException, CorruptStreamException {
    ForestHead head;
    try {
      head = ForestHead.decode(strand, Bytes.wrap(record()));
    } catch (MalformedException | IllegalArgumentException e) {
      throw damage(ForestImage.HEADER_BYTES, "row cannot be read: " + e.getMessage());
    }
    List<ForestPartition> partitions = new ArrayList<>();
    for (ForestHead.Part part : head.parts()) {
      partitions.add(
          new ForestPartition(
              part.number(), part.firstHeight(), part.lastHeight(), root(part), store.slotPages()));
    }
    if (position != file.size()) {
      throw damage(position, "bytes behind the last node");
    }
    store.slots().flush();
    return new ForestVersion(store, head.height(), partitions, head.fold(), head.nextNumber());
  }

  private byte[] record() throws IOException, CorruptStreamException {
    long at = position;
    ByteBuffer head = ByteBuffer.wrap(StoredBytes.read(file, at, ForestImage.RECORD_HEAD_BYTES));
    int bytes = head.getInt();
    if (bytes < 1 || bytes > file.size() - at - ForestImage.RECORD_HEAD_BYTES) {
      throw damage(at, "a record of " + bytes + " bytes");
    }
    byte[] content = StoredBytes.read(file, at + ForestImage.RECORD_HEAD_BYTES, bytes);
    if (head.getInt() != ForestImage.checksum(header, at, content)) {
      throw damage(at, "checksum is wrong");
    }
    position = at + ForestImage.RECORD_HEAD_BYTES + bytes;
    return content;
  }

  private NodeRef root(ForestHead.Part part) throws IOException, CorruptStreamException {
    List<NodeRef> below = List.of();
    for (int level = 0; level <= part.root().level(); level++) {
      below = level(level, below, part.root().entryCount());
    }
    NodeRef root = below.getFirst();
    if (below.size() != 1 || !root.hash().equals(part.root().hash())) {
      throw damage(
          position,
          String.format(
              Locale.ROOT,
              "partition %d has the root %s, want %s",
              part.number(),
              root.hash(),
              part.root().hash()));
    }
    return root;
  }

  /// @param entries in all nodes of the level
  private List<NodeRef> level(int level, List<NodeRef> below, long entries)
      throws IOException, CorruptStreamException {
    List<NodeRef> here = new ArrayList<>();
    long left = entries;
    int used = 0;
    do {
      long at = position;
      ForestPage page = page(at, level);
      hashing.hash(List.of(page), 0, 1, BatchHasher.cpu());
      if (page instanceof InnerPage inner) {
        page = above(inner, below, used, at);
        used += inner.count();
      }
      left -= page.entryCount();
      here.add(NodeRef.saved(level, page.hash(), page.entryCount(), write(page)));
      if (++unflushed == NODES_PER_FLUSH) {
        store.slots().flush();
        unflushed = 0;
      }
    } while (left > 0);
    if (left < 0 || used != below.size()) {
      throw damage(
          position, String.format(Locale.ROOT, "level %d of a partition has other entries", level));
    }
    return here;
  }

  private long write(ForestPage page) throws IOException {
    long address = store.slotPages().write(page);
    store.cache().forget(store.slotPages(), address);
    return address;
  }

  private ForestPage page(long at, int level) throws IOException, CorruptStreamException {
    byte[] node = record();
    if (node[0] != level) {
      throw damage(at, String.format(Locale.ROOT, "node of level %d, want %d", node[0], level));
    }
    byte[] image = Arrays.copyOfRange(node, 1, node.length);
    try {
      return level == 0 ? LeafPage.of(image) : InnerPage.of(level, image);
    } catch (MalformedException e) {
      throw damage(at, "node: " + e.getMessage());
    }
  }

  /// The same page above nodes that were read.
  private InnerPage above(InnerPage inner, List<NodeRef> below, int first, long at)
      throws CorruptStreamException {
    long[] addresses = new long[inner.count()];
    for (int slot = 0; slot < addresses.length; slot++) {
      NodeRef child = first + slot < below.size() ? below.get(first + slot) : null;
      if (child == null
          || !child.hash().equals(inner.child(slot).hash())
          || child.entryCount() != inner.childEntries(slot)) {
        throw damage(
            at, String.format(Locale.ROOT, "child %d is not the node that was read", slot));
      }
      addresses[slot] = child.address();
    }
    return inner.at(addresses);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
