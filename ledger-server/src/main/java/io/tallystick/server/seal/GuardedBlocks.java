package io.tallystick.server.seal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.Guard;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.StrandRow;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Which sealed blocks a durable frame behind them has named as a guard: whoever wrote the stream
/// sealed the same. A savepoint keeps the strands that have others, `"G" → [1, [[ledgerId, strand,
/// blocks]…]]`. One owner thread changes it, any thread reads. Source: `docs/formats/savepoint.md`.
final class GuardedBlocks {
  private static final Bytes KEY = Bytes.utf8("G");
  private static final int VERSION = 1;
  private static final int STRANDS_MAX = 10_000_000;

  private final Map<StrandId, Guard> waiting = new ConcurrentHashMap<>();

  /// How many blocks are named, of the strands that have got blocks or guards since the savepoint.
  private final Map<StrandId, Long> named = new ConcurrentHashMap<>();

  private boolean written;

  /// Reads what a savepoint has, before anything is applied: the newest blocks of its strands wait
  /// to be named.
  void restore(MetaStore meta) throws IOException, CorruptStreamException {
    Bytes row = meta.get(KEY);
    if (row == null) {
      return;
    }
    written = true;
    try {
      CborReader in = new CborReader(row);
      in.array("guards row", 2);
      long version = in.uint();
      if (version != VERSION) {
        throw new MalformedException("guards row version " + version + ", want " + VERSION);
      }
      for (int i = in.arrayAtMost("strands", STRANDS_MAX); i > 0; i--) {
        in.array("strand", 3);
        LedgerId ledger = new LedgerId(in.digest());
        StrandId strand = new StrandId(ledger, (int) in.uint("strand", Integer.MAX_VALUE));
        long blocks = in.uint();
        named.put(strand, blocks);
        StrandRow saved = SavedWorld.strand(meta, strand);
        if (saved == null) {
          throw new MalformedException("strand " + strand + " has guards and no row");
        }
        if (saved.blocks() > blocks) {
          sealed(new Guard(strand, saved.blocks() - 1, saved.last().sealHash()));
        }
      }
      in.end();
    } catch (MalformedException e) {
      throw new CorruptStreamException("guards row", 0, String.valueOf(e.getMessage()));
    }
  }

  /// A strand with so many blocks is about to get the next one.
  void grows(StrandId strand, long blocks) {
    named.putIfAbsent(strand, blocks);
  }

  void sealed(Guard newest) {
    waiting.put(newest.strand(), newest);
  }

  /// A durable frame has these.
  void named(List<Guard> guards) {
    for (Guard guard : guards) {
      named.merge(guard.strand(), guard.height() + 1, Math::max);
      waiting.remove(guard.strand(), guard);
    }
  }

  /// Newest blocks that are not named, at most `max`.
  List<Guard> waiting(int max) {
    return waiting.values().stream().limit(max).toList();
  }

  boolean anyWaiting() {
    return !waiting.isEmpty();
  }

  /// How many blocks of a strand are named, from the first on. What a savepoint has is, unless it
  /// says otherwise.
  ///
  /// @param sealed blocks that the strand had before this is asked
  long blocks(StrandId strand, long sealed) {
    @Nullable Long its = named.get(strand);
    return its == null ? sealed : its;
  }

  void savepoint(MetaBatch batch) {
    List<StrandId> strands =
        waiting.keySet().stream()
            .sorted(Comparator.comparing(StrandId::ledger).thenComparingInt(StrandId::strand))
            .toList();
    if (strands.isEmpty()) {
      if (written) {
        batch.delete(KEY);
        written = false;
      }
      return;
    }
    CborWriter row = new CborWriter().array(2).uint(VERSION).array(strands.size());
    for (StrandId strand : strands) {
      row.array(3)
          .bytes(strand.ledger().digest().toBytes())
          .uint(strand.strand())
          .uint(named.getOrDefault(strand, 0L));
    }
    batch.put(KEY, row.toBytes());
    written = true;
  }
}
