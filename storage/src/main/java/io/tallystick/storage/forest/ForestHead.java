package io.tallystick.storage.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.forest.StateNode;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.page.SlotSizes;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/// A strand's row, or that of an older version which is saved: the partitions of its state, where
/// their roots lie, and how far the fold has come. The newest one's key is `"v" ‖ ledgerId (32) ‖
/// strand (u32)`. A strand that never had a state has none. Source: `docs/formats/state-pages.md`.
///
/// @param height of the last block that changed the state
/// @param nextNumber of the next partition that is begun
record ForestHead(long height, long nextNumber, Fold fold, List<Part> parts) {
  private static final int VERSION = 1;
  private static final byte KIND = 'v';
  private static final int STRAND_BYTES = 36;
  static final int KEY_BYTES = 1 + STRAND_BYTES;
  private static final int PARTITIONS_MAX = 65_535;

  /// The prefix of the keys of all rows.
  static final Bytes ALL = Bytes.copyOf(new byte[] {KIND});

  /// A partition.
  ///
  /// @param file number of its file's name; −1 if it is in slots
  record Part(long number, long firstHeight, OptionalLong lastHeight, NodeRef root, long file) {
    static final long IN_SLOTS = -1;

    static Part of(ForestPartition partition) {
      return new Part(
          partition.number(),
          partition.firstHeight(),
          partition.lastHeight(),
          partition.root(),
          switch (partition.pages()) {
            case PartFile file -> file.serial();
            case SlotPages _ -> IN_SLOTS;
          });
    }
  }

  /// The row of a version whose nodes all have addresses.
  static ForestHead of(ForestVersion version) {
    return new ForestHead(
        version.height(),
        version.nextNumber(),
        version.fold(),
        version.partitions().stream().map(Part::of).toList());
  }

  /// The keys of all rows of a strand, those of its saved versions among them.
  static List<Bytes> rows(MetaStore meta, StrandId strand) throws IOException {
    List<Bytes> keys = new ArrayList<>();
    meta.scan(
        key(strand),
        null,
        (key, _) -> {
          keys.add(key);
          return true;
        });
    return keys;
  }

  static Bytes key(StrandId strand) {
    return Bytes.wrap(
        ByteBuffer.allocate(KEY_BYTES)
            .put(KIND)
            .put(strand.ledger().digest().toArray())
            .putInt(strand.strand())
            .array());
  }

  /// Whether a row is a strand's, or one of its saved versions'.
  static boolean isRow(Bytes key) {
    return key.size() >= KEY_BYTES && key.slice(0, 1).equals(ALL);
  }

  /// The row of the same state, a partition of which was moved to a file.
  ///
  /// @return the same if it has not that partition, or not closed
  ForestHead withMoved(Part moved) {
    List<Part> all = new ArrayList<>(parts);
    all.replaceAll(
        part -> part.number == moved.number && part.lastHeight.isPresent() ? moved : part);
    return new ForestHead(height, nextNumber, fold, List.copyOf(all));
  }

  Bytes encode(StrandId strand) {
    CborWriter out = new CborWriter(128);
    out.array(10).uint(VERSION).uint(height).uint(nextNumber);
    out.bool(fold.runs()).uint(fold.passEnd()).uint(fold.position());
    out.uint(fold.carried()).uint(fold.carriedBefore()).array(parts.size());
    for (Part part : parts) {
      out.array(8).uint(part.number).uint(part.firstHeight);
      optional(part.lastHeight.orElse(-1), out);
      NodeRef root = part.root;
      out.uint(root.level()).digest(root.hash()).uint(root.entryCount()).uint(root.address());
      optional(part.file, out);
    }
    return out.uint(checksum(strand, out.buffer(), out.length())).toBytes();
  }

  /// No other check covers the fold's progress.
  private static long checksum(StrandId strand, byte[] row, int count) {
    CRC32C crc = new CRC32C();
    crc.update(key(strand).unsafeArray());
    crc.update(row, 0, count);
    return crc.getValue();
  }

  private static void optional(long number, CborWriter out) {
    if (number < 0) {
      out.nil();
    } else {
      out.uint(number);
    }
  }

  /// @throws CorruptStreamException if it cannot be read
  static ForestHead read(StrandId strand, Bytes row) throws CorruptStreamException {
    try {
      return decode(strand, row);
    } catch (MalformedException | IllegalArgumentException e) {
      throw new CorruptStreamException(
          "state of " + strand, 0, "row cannot be read: " + e.getMessage(), e);
    }
  }

  static ForestHead decode(StrandId strand, Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("state", 10);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("row version " + version + ", want " + VERSION);
    }
    long height = in.uint();
    long nextNumber = in.uint();
    Fold fold = new Fold(in.bool(), in.uint(), in.uint(), in.uint(), in.uint());
    int count = in.arrayAtMost("partitions", PARTITIONS_MAX);
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      in.array("partition", 8);
      long number = in.uint();
      long first = in.uint();
      OptionalLong last = in.nil() ? OptionalLong.empty() : OptionalLong.of(in.uint());
      int level = (int) in.uint("level", StateNode.LEVEL_MAX);
      NodeRef root =
          NodeRef.saved(level, in.digest(), in.uint(), in.uint("address", SlotSizes.ADDRESS_MAX));
      parts.add(new Part(number, first, last, root, in.nil() ? Part.IN_SLOTS : in.uint()));
    }
    long want = checksum(strand, row.unsafeArray(), in.position());
    if (in.uint() != want) {
      throw new MalformedException("checksum of the row is wrong");
    }
    in.end();
    return new ForestHead(height, nextNumber, fold, List.copyOf(parts));
  }
}
