package io.tallystick.server.state;

import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/// The entries that the operations of a block write, and where their values lie. A body ends with
/// its values (`docs/formats/request.md`), and the retained operations know their sizes: so no
/// payload is read.
final class BlockWrites {
  private BlockWrites() {}

  /// In the order of the operations.
  ///
  /// @throws CorruptStreamException naming the jsn, if operations are not those that a header
  ///   commits to
  static List<HeldEntry> of(BlockInfo block, FramePlace place) throws CorruptStreamException {
    List<HeldEntry> writes = new ArrayList<>();
    for (int i = 0; i < block.journals(); i++) {
      if (block.opsBytes(i) > 0) {
        writes.addAll(of(block, place, i, committed(block, i)));
      }
    }
    return writes;
  }

  /// Those of one journal.
  ///
  /// @param ops the ones that its header commits to
  static List<HeldEntry> of(BlockInfo block, FramePlace place, int journal, Ops ops)
      throws CorruptStreamException {
    int item = place.payloadOffset() + block.payloadOffset(journal);
    return writes(
        ops,
        new Jsn(block.firstJsn() + journal),
        new Location(place.frame(), item),
        PayloadItem.contentBytes(block.payloadBytes(journal)));
  }

  private static Ops committed(BlockInfo block, int journal) throws CorruptStreamException {
    try {
      Bytes encoded = block.ops(journal);
      Ops ops = Ops.decode(encoded);
      OpsRoot root = Ops.rootOf(encoded);
      OpsRoot committed =
          RequestHeader.opsRootOf(
              block.headerArray(), block.headerPosition(journal), block.headerBytes(journal));
      if (!Objects.equals(root, committed)) {
        throw new MalformedException(
            String.format(Locale.ROOT, "they have root %s, the header says %s", root, committed));
      }
      return ops;
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          block.strand().toString(),
          block.firstJsn() + journal,
          "committed operations: " + e.getMessage(),
          e);
    }
  }

  /// @param item where salt and body begin
  /// @param bytes of both
  private static List<HeldEntry> writes(Ops ops, Jsn jsn, Location item, int bytes)
      throws CorruptStreamException {
    HeldEntry[] held = new HeldEntry[ops.size()];
    int end = bytes;
    for (int i = ops.size() - 1; i >= 0; i--) {
      switch (ops.values().get(i)) {
        case Op.Put put -> {
          int start = end - put.valueSizeBytes();
          if (start < PayloadItem.SALT_BYTES) {
            throw new CorruptStreamException(
                "journal " + jsn, i, "its values do not fit a body of " + bytes + " bytes");
          }
          StateEntry entry =
              StateEntry.put(put.key(), put.valueCommit(), put.valueSizeBytes(), jsn);
          held[i] = new HeldEntry(entry, item.plus(start));
          end = start - headBytes(put.valueSizeBytes());
        }
        case Op.Delete delete ->
            held[i] = new HeldEntry(StateEntry.tombstone(delete.key(), jsn), null);
      }
    }
    return List.of(held);
  }

  /// The bytes that CBOR writes before a byte string.
  private static int headBytes(int size) {
    if (size < 24) {
      return 1;
    } else if (size < 1 << 8) {
      return 2;
    }
    return size < 1 << 16 ? 3 : 5;
  }
}
