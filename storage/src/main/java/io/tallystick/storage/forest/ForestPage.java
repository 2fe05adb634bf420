package io.tallystick.storage.forest;

import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The content of a node of a partition's tree, in memory. Its content never changes. Thread-safe
/// once it is published.
abstract sealed class ForestPage permits LeafPage, InnerPage {
  private static final long[] NO_REST = {};

  private volatile @Nullable Digest hash;
  private long[] rest = NO_REST;
  private @Nullable Origin origin; // until it is hashed, if it keeps the hashes of its records
  private byte @Nullable [] recordHashes; // the owner's
  private int keptBytes;

  /// Where the records of a page come from that keeps their hashes.
  static final class Origin {
    static final Origin NONE = new Origin(new byte[0], 0, new int[0], 0, false);

    private final byte[] hashes;
    private final int count;
    private final int[] sources;
    private final int from;
    private final boolean alone;

    /// @param hashes the tree over the records of the page that was there before, see {@link
    ///   RecordHashes}; empty if there was none
    /// @param count of those records
    /// @param sources the record's index in the old page; negative if it is not from there
    /// @param from index in `sources` of the first record
    /// @param alone whether no other page comes from the old one, too
    Origin(byte[] hashes, int count, int[] sources, int from, boolean alone) {
      this.hashes = hashes;
      this.count = count;
      this.sources = sources;
      this.from = from;
      this.alone = alone;
    }

    byte[] hashes() {
      return hashes;
    }

    int count() {
      return count;
    }

    /// Whether the array of {@link #hashes} may be written once they have been read.
    boolean isAlone() {
      return alone;
    }

    /// The index of a record in the old page; −1 if its hash is not known.
    int of(int index) {
      return hashes.length == 0 ? -1 : Math.max(-1, sources[from + index]);
    }
  }

  abstract int level();

  /// The number of records.
  abstract int count();

  /// The number of entries in all leaves below, or in this leaf.
  abstract long entryCount();

  /// The memory that it takes, about.
  abstract int bytes();

  /// Writes a record as it is hashed.
  abstract void encodeRecord(int index, CborWriter out);

  /// Writes the separators as they are hashed.
  abstract void encodeSeparators(CborWriter out);

  abstract Separators separators();

  /// The content as it is stored, without checksum and level.
  abstract byte[] image();

  /// Before it is hashed: the hashes of its records are to be kept, for the page that takes its
  /// place. For the owner.
  final void keepHashes(Origin from) {
    origin = from;
  }

  final boolean keepsHashes() {
    return origin != null;
  }

  final Origin origin() {
    Origin known = origin;
    return known == null ? Origin.NONE : known;
  }

  /// Takes the tree over its records. For the owner.
  final void recordHashes(byte[] tree) {
    recordHashes = tree;
    keptBytes = tree.length;
    origin = null;
  }

  /// Gives its record hashes to the page that takes its place; empty if there are none. For the
  /// owner.
  final byte[] handOver() {
    byte[] tree = recordHashes;
    recordHashes = null;
    return tree == null ? new byte[0] : tree;
  }

  /// The memory that the hashes of its records take.
  final int keptBytes() {
    return keptBytes;
  }

  /// Its hash, once it was computed; null before.
  final @Nullable Digest hashIfKnown() {
    return hash;
  }

  final Digest hash() {
    Digest known = hash;
    if (known == null) {
      throw new AssertionError("a node without its hash");
    }
    return known;
  }

  final void hash(Digest computed) {
    hash = computed;
  }

  /// Addresses of the further slots that it takes.
  final long[] rest() {
    return rest;
  }

  /// Before it is published.
  final void rest(long[] addresses) {
    rest = addresses;
  }

  final Bytes record(int index) {
    CborWriter out = new CborWriter(128);
    encodeRecord(index, out);
    return out.toBytes();
  }

  final List<Bytes> records() {
    List<Bytes> records = new ArrayList<>(count());
    for (int i = 0; i < count(); i++) {
      records.add(record(i));
    }
    return records;
  }
}
