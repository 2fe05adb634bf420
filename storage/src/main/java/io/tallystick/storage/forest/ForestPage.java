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
