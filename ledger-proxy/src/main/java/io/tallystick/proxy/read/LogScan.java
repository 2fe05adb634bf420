package io.tallystick.proxy.read;

import io.tallystick.journal.BodyState;
import io.tallystick.journal.JournalFilter;
import io.tallystick.journal.Leaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LogVisitor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A search for leaves that fit a filter: it looks at them one by one, without bodies, and stops
/// when enough are found or one call has looked at enough. Times never decrease along a log, so it
/// begins with the block that reaches the first time.
final class LogScan implements LogVisitor {
  /// Leaves that one call looks at.
  static final int LEAVES_MAX = 8_192;

  /// Bytes of leaves, attestations and operations that one call looks at, about.
  static final int BYTES_MAX = 8 << 20;

  private final JournalFilter filter;
  private final int countMax;
  private final List<Long> found = new ArrayList<>();
  private Bytes lastAttestation = Bytes.EMPTY;
  private int leaves;
  private long bytes;
  private long end;
  private boolean over;

  private LogScan(JournalFilter filter, int countMax, long from) {
    this.filter = filter;
    this.countMax = countMax;
    this.end = from;
  }

  /// @param from below the size of its tree, which is looked at
  static LogScan run(
      LedgerNode node, StrandId strand, JournalFilter filter, PageCursor from, int countMax)
      throws RequestRejectedException {
    long size = from.size();
    // Refuses what may not be read before a block is looked for: a purged begin, a size to come.
    node.readJournals(strand, from.next(), size, false, (_, _, _, _, _, _, _) -> false);
    LogScan scan = new LogScan(filter, countMax, start(node, strand, filter, from));
    if (scan.end < size) {
      try {
        node.readJournals(strand, scan.end, size, false, scan);
      } catch (RequestRejectedException e) {
        if (e.code() != RejectionCode.DAMAGED || scan.leaves == 0) {
          throw e;
        }
      }
    }
    return scan;
  }

  /// The begin of the first block that reaches the filter's first time; no leaf before fits.
  private static long start(LedgerNode node, StrandId strand, JournalFilter filter, PageCursor from)
      throws RequestRejectedException {
    if (filter.fromTimeMs().isEmpty()) {
      return from.next();
    }
    long time = filter.fromTimeMs().getAsLong();
    BlockView last = node.blockOf(strand, from.size() - 1);
    if (last.timeMs() < time) {
      return from.size();
    }
    long low = node.blockOf(strand, from.next()).height();
    return Math.max(from.next(), BlockTimes.first(node, strand, low, last, time).firstJsn());
  }

  /// The jsns of the leaves that fit, ascending.
  List<Long> found() {
    return found;
  }

  /// The jsn below which all leaves of the scan were looked at.
  long end() {
    return end;
  }

  /// Whether no leaf behind {@link #end} fits.
  boolean isOver() {
    return over;
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
    if (attestation != null) {
      lastAttestation = attestation;
      bytes += attestation.size();
    }
    leaves++;
    bytes += leaf.size() + ops.size();
    try {
      Leaf decoded = Leaf.decode(leaf);
      over = filter.endsBefore(decoded);
      if (over) {
        return false;
      }
      if (filter.matches(decoded, lastAttestation)) {
        found.add(jsn);
      }
    } catch (MalformedException e) {
      throw new AssertionError("leaf " + jsn + " was committed malformed", e);
    }
    end = jsn + 1;
    return leaves < LEAVES_MAX && bytes < BYTES_MAX && found.size() < countMax;
  }
}
