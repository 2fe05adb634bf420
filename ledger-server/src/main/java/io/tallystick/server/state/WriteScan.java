package io.tallystick.server.state;

import io.tallystick.journal.BodyState;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LogVisitor;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A search for the writes of one key, from a journal downwards, block by block. Every operation
/// changes the state root, so a block with the root of the block before it has none: it is passed
/// by its row. Of the others all leaves and operations are read and compared with what was sealed:
/// damage never hides a write. It stops when enough are found or one call has looked at enough.
final class WriteScan implements LogVisitor {
  /// Rows of blocks that one call looks at.
  private static final int BLOCKS_MAX = 1 << 16;

  /// Leaves that one call reads, about.
  private static final int LEAVES_MAX = 8_192;

  /// Bytes of leaves and operations that one call reads, about.
  private static final long BYTES_MAX = 8 << 20;

  /// A write that was found.
  ///
  /// @param height of its block
  /// @param ops all operations of its journal
  /// @param index of the write among them
  record Found(long height, BlockRow row, HeldEntry held, Ops ops, int index) {
    long jsn() {
      return held.entry().jsn().value();
    }
  }

  /// A journal that has the key among its operations.
  private record Hit(long jsn, Ops ops, int index) {}

  private final LogReader log;
  private final StrandIndex strand;
  private final Bytes key;
  private final int countMax;
  private final long begin;
  private final List<Found> found = new ArrayList<>();
  private final List<Hit> hits = new ArrayList<>();
  private long end;
  private int leaves;
  private long bytes;

  private WriteScan(LogReader log, StrandIndex strand, Bytes key, int countMax, long before) {
    this.log = log;
    this.strand = strand;
    this.key = key;
    this.countMax = countMax;
    this.begin = before;
    this.end = before;
  }

  /// @param from no journal below it is looked at
  /// @param before only those below it are, at most the sealed size
  /// @throws RequestRejectedException `DAMAGED` if the first block that is read is
  static WriteScan run(
      LogReader log, StrandIndex strand, Bytes key, int countMax, long from, long before)
      throws IOException, CorruptStreamException, RequestRejectedException {
    WriteScan scan = new WriteScan(log, strand, key, countMax, before);
    if (before > from) {
      scan.walk(from);
    }
    return scan;
  }

  private void walk(long from)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long height = strand.heightOf(end - 1);
    BlockRow row = strand.block(height);
    for (int blocks = 1; height > 0; blocks++) {
      BlockRow previous = strand.block(height - 1);
      if (!row.stateRoot().equals(previous.stateRoot()) && !look(height, row, from)) {
        return;
      }
      end = Math.max(from, row.firstJsn());
      boolean enough = blocks == BLOCKS_MAX || leaves >= LEAVES_MAX || bytes >= BYTES_MAX;
      if (end == from || enough || found.size() == countMax) {
        return;
      }
      height--;
      row = previous;
    }
    end = from; // genesis writes nothing
  }

  /// @return false if the block was not looked at whole: what is left of it is the next call's
  private boolean look(long height, BlockRow row, long from)
      throws IOException, CorruptStreamException, RequestRejectedException {
    hits.clear();
    try {
      log.walk(strand, Math.max(from, row.firstJsn()), Math.min(end, row.sealJsn()), false, this);
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.DAMAGED && end < begin) {
        return false; // the page ends before the damage; one that begins there is refused
      }
      throw e;
    }
    if (hits.isEmpty()) {
      return true;
    }
    BlockInfo block = log.block(strand, row);
    for (Hit hit : hits.reversed()) {
      if (found.size() == countMax) {
        return false;
      }
      int journal = (int) (hit.jsn - row.firstJsn());
      HeldEntry held = BlockWrites.of(block, row.place(), journal, hit.ops).get(hit.index);
      found.add(new Found(height, row, held, hit.ops, hit.index));
      end = hit.jsn;
    }
    return true;
  }

  @Override
  public boolean leaf(
      long jsn,
      Bytes leaf,
      @Nullable Bytes attestation,
      Bytes ops,
      BodyState bodyState,
      @Nullable Bytes salt,
      @Nullable Bytes body) {
    leaves++;
    bytes += leaf.size() + ops.size();
    if (holds(ops)) {
      try {
        Ops decoded = Ops.decode(ops);
        for (int i = 0; i < decoded.size(); i++) {
          Op op = decoded.values().get(i);
          if (op.key().equals(key)) {
            hits.add(new Hit(jsn, decoded, i));
          }
        }
      } catch (MalformedException e) {
        throw new AssertionError("operations of journal " + jsn + " were committed malformed", e);
      }
    }
    return true;
  }

  /// Whether the bytes of the key are among those of encoded operations: few are decoded for
  /// nothing.
  private boolean holds(Bytes ops) {
    byte[] all = ops.unsafeArray();
    byte[] wanted = key.unsafeArray();
    for (int at = 0; at <= all.length - wanted.length; at++) {
      int same = 0;
      while (same < wanted.length && all[at + same] == wanted[same]) {
        same++;
      }
      if (same == wanted.length) {
        return true;
      }
    }
    return false;
  }

  /// Descending.
  List<Found> found() {
    return found;
  }

  /// All journals from it on were looked at.
  long end() {
    return end;
  }
}
