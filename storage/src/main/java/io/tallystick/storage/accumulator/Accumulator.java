package io.tallystick.storage.accumulator;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.NodeId;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The Merkle accumulator (bAMT) of one strand: the RFC 9162 tree over its leaves.
///
/// One owner thread appends and saves. Any thread reads, for every size up to {@link #size}, while
/// the owner appends. A batch of m leaves costs m + log n node hashes and is allocation-free per
/// leaf; a leaf takes 34 bytes on disk. A proof is made of complete subtrees, each recomputed from
/// at most 8 stored hashes.
///
/// After an exception of {@link #append} nothing more is appended: the shard is opened again.
/// Source: LedgerDB section 5.1; RFC 9162 section 2.1; `docs/formats/accumulator.md`.
public final class Accumulator implements AutoCloseable {
  /// A longer batch is appended in slices of this size, which bounds the memory taken.
  private static final int SLICE_LEAVES = 1 << 16;

  private final StrandId strand;
  private final BatchHasher hasher;
  private final Levels levels;
  private final NodeCache.Share cache;
  private volatile Frontier frontier; // what readers may see
  private long savedSize;
  private boolean failed;

  private Accumulator(
      StrandId strand,
      BatchHasher hasher,
      Levels levels,
      NodeCache.Share cache,
      Frontier frontier) {
    this.strand = strand;
    this.hasher = hasher;
    this.levels = levels;
    this.cache = cache;
    this.frontier = frontier;
    this.savedSize = frontier.size();
  }

  /// Opens the accumulator as the strand's last savepoint left it; empty if it never had one. Its
  /// levels are opened when they are needed: appending and the root need none of them.
  ///
  /// @param meta the store that `arrays` saves to
  /// @param nodes shared by all that are open
  /// @throws CorruptStreamException if the savepoint's row contradicts itself
  public static Accumulator restore(
      ArrayStore arrays, MetaStore meta, StrandId strand, BatchHasher hasher, NodeCache nodes)
      throws IOException, CorruptStreamException {
    Bytes row = meta.get(AccumulatorHead.key(strand));
    Frontier frontier = row == null ? Frontier.EMPTY : AccumulatorHead.decode(strand, row);
    return new Accumulator(
        strand, hasher, new Levels(arrays, strand, frontier.size()), nodes.share(), frontier);
  }

  /// The number of leaves that proofs may cover.
  public long size() {
    return frontier.size();
  }

  /// Leaves appended since the last savepoint; 0 when closing loses nothing. For the owner.
  public long unsavedLeafCount() {
    return size() - savedSize;
  }

  /// The root at the present size, from memory.
  public Digest root() {
    return frontier.root();
  }

  /// Appends leaves by their leaf hashes, SHA-256(0x00 ‖ leaf). For the owner.
  ///
  /// @param leafHashes hash `i` at `offset + 32 * i`; not kept
  public void append(byte[] leafHashes, int offset, int count)
      throws IOException, CorruptStreamException {
    Objects.checkFromIndexSize(offset, Math.multiplyExact(count, Digest.BYTES), leafHashes.length);
    if (count > TreeGeometry.SIZE_MAX - size()) {
      throw new IllegalArgumentException(count + " more leaves than size " + size() + " allows");
    }
    checkUsable();
    failed = true; // until all of it is done
    for (int done = 0; done < count; done += SLICE_LEAVES) {
      int slice = Math.min(SLICE_LEAVES, count - done);
      frontier = grow(frontier, leafHashes, offset + done * Digest.BYTES, slice);
    }
    failed = false;
  }

  /// Appends one leaf.
  public void append(Digest leafHash) throws IOException, CorruptStreamException {
    append(leafHash.toArray(), 0, 1);
  }

  /// Level by level: the nodes new at a level are stored if the level is, and paired, behind the
  /// one that was left over before.
  private Frontier grow(Frontier before, byte[] leafHashes, int offset, int count)
      throws IOException, CorruptStreamException {
    long size = before.size() + count;
    @Nullable Digest[] edge = new @Nullable Digest[Long.SIZE - Long.numberOfLeadingZeros(size)];
    byte[] nodes = new byte[(count + 1) * Digest.BYTES]; // place 0 is the left-over's
    byte[] parents = new byte[(count / 2 + 2) * Digest.BYTES];
    System.arraycopy(leafHashes, offset, nodes, Digest.BYTES, count * Digest.BYTES);
    int fresh = count;
    for (int level = 0; level < edge.length; level++) {
      if (fresh > 0 && Levels.isStored(level)) {
        levels.append(level, nodes, Digest.BYTES, fresh);
      }
      Digest leftOver = before.at(level);
      if (fresh == 0) {
        edge[level] = leftOver;
        continue;
      }
      int first = leftOver == null ? Digest.BYTES : 0;
      if (leftOver != null) {
        leftOver.copyInto(nodes, 0);
      }
      int total = leftOver == null ? fresh : fresh + 1;
      if (total % 2 == 1) {
        edge[level] = Digest.of(nodes, first + (total - 1) * Digest.BYTES);
      }
      fresh = total / 2;
      if (fresh > 0) {
        hasher.parents(nodes, first, fresh, parents, Digest.BYTES);
      }
      byte[] swap = nodes;
      nodes = parents;
      parents = swap;
    }
    return new Frontier(size, edge);
  }

  /// The leaf hash of journal, seal or genesis `jsn`.
  public Digest leafHash(long jsn) throws IOException, CorruptStreamException {
    byte[] hash = new byte[Digest.BYTES];
    leafHashes(jsn, 1, hash, 0);
    return Digest.of(hash);
  }

  /// Copies the leaf hashes `[first, first + count)`, 32 bytes each.
  public void leafHashes(long first, int count, byte[] into, int offset)
      throws IOException, CorruptStreamException {
    Objects.checkFromIndexSize(first, (long) count, size());
    levels.read(0, first, count, into, offset);
  }

  /// Copies the hashes `[first, first + count)` of complete subtrees of `2^level` leaves, 32 bytes
  /// each.
  ///
  /// @param level a multiple of 4: the others are not stored
  /// @throws IndexOutOfBoundsException if not all of them are complete
  public void hashes(int level, long first, int count, byte[] into, int offset)
      throws IOException, CorruptStreamException {
    if (!Levels.isStored(level)) {
      throw new IllegalArgumentException("level " + level + " is not stored");
    }
    Objects.checkFromIndexSize(first, (long) count, size() >> level);
    levels.read(level, first, count, into, offset);
  }

  /// The root of the tree that ends behind `hashes`, computed from them and from what is stored to
  /// the left of them.
  ///
  /// @param level of the hashes
  /// @param first index of the first of them, a multiple of a power of two above their count
  public Digest rootWith(int level, long first, byte[] hashes)
      throws IOException, CorruptStreamException {
    NodeReader reader = new NodeReader(levels, frontier, cache);
    List<Digest> subtrees = new ArrayList<>(reader.hashes(TreeGeometry.cover(0, first << level)));
    int count = hashes.length / Digest.BYTES;
    for (int done = 0; done < count; ) {
      int width = Integer.highestOneBit(count - done);
      byte[] part = Arrays.copyOfRange(hashes, done * Digest.BYTES, (done + width) * Digest.BYTES);
      subtrees.add(TreeHasher.rootInPlace(hasher, part, width));
      done += width;
    }
    return TreeHasher.foldRight(subtrees);
  }

  /// The root of the first `size` leaves.
  public Digest rootAt(long size) throws IOException, CorruptStreamException {
    Frontier now = frontierCovering(size);
    if (size == now.size()) {
      return now.root();
    }
    return size == 0
        ? TreeHasher.EMPTY_ROOT
        : new NodeReader(levels, now, cache).fold(TreeGeometry.cover(0, size));
  }

  /// The roots of the complete subtrees of the first `size` leaves, largest first: one for each bit
  /// of `size`.
  public List<Digest> subtrees(long size) throws IOException, CorruptStreamException {
    NodeReader reader = new NodeReader(levels, frontierCovering(size), cache);
    return reader.hashes(TreeGeometry.cover(0, size));
  }

  /// That leaf `jsn` is in the tree of `size`.
  public InclusionProof inclusion(long jsn, long size) throws IOException, CorruptStreamException {
    NodeReader reader = new NodeReader(levels, frontierCovering(size), cache);
    return new InclusionProof(jsn, size, path(reader, TreeGeometry.inclusionPath(jsn, size)));
  }

  /// That the tree of `from` leaves, at least 1, is the beginning of the tree of `to`.
  public ConsistencyProof consistency(long from, long to)
      throws IOException, CorruptStreamException {
    NodeReader reader = new NodeReader(levels, frontierCovering(to), cache);
    return new ConsistencyProof(from, to, path(reader, TreeGeometry.consistencyPath(from, to)));
  }

  /// That the leaves `[first, first + count)` are in the tree of `size`.
  public RangeProof range(long first, int count, long size)
      throws IOException, CorruptStreamException {
    NodeReader reader = new NodeReader(levels, frontierCovering(size), cache);
    List<NodeId> outside = TreeGeometry.outsideRange(first, count, size);
    return new RangeProof(first, count, size, reader.hashes(outside));
  }

  private static List<Digest> path(NodeReader reader, List<List<NodeId>> elements)
      throws IOException, CorruptStreamException {
    List<Digest> path = new ArrayList<>(elements.size());
    for (List<NodeId> element : elements) {
      path.add(reader.fold(element));
    }
    return path;
  }

  private Frontier frontierCovering(long size) {
    Frontier now = frontier;
    if (size < 0 || size > now.size()) {
      throw new IndexOutOfBoundsException("size " + size + " of " + now.size());
    }
    return now;
  }

  /// Makes what was appended part of `batch`; see {@link ArrayStore} for the contract. For the
  /// owner.
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    checkUsable();
    failed = true; // until all of it is done
    levels.savepoint(batch);
    if (unsavedLeafCount() != 0) {
      batch.put(AccumulatorHead.key(strand), AccumulatorHead.encode(frontier));
      savedSize = size();
    }
    failed = false;
  }

  private void checkUsable() {
    if (failed) {
      throw new IllegalStateException("accumulator of " + strand + " has failed");
    }
  }

  /// Lets go of the levels, until they are needed again. Readers may go on. For the owner, after
  /// the batch of the last savepoint was written.
  ///
  /// @throws IllegalStateException if leaves wait for a savepoint
  public void rest() {
    if (unsavedLeafCount() != 0) {
      throw new IllegalStateException("leaves of " + strand + " wait for a savepoint");
    }
    levels.close();
  }

  /// Lets go of the arrays; leaves that no savepoint holds are gone. See {@link
  /// io.tallystick.storage.array.AppendArray#close}.
  @Override
  public void close() {
    levels.close();
  }
}
