package io.tallystick.audit.options;

import io.tallystick.audit.chunk.ClueRow;
import io.tallystick.audit.statement.TimeState;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// When one submitter's entries in a T-Ledger were made, as the T-Ledger's own tokens prove it: not
/// before the latest genTime of a token at or below the entry, not after the genTime of the first
/// token about a head that covers it; and the heads that the T-Ledger had. Some 200 bytes for each
/// of the submitter's entries, 40 for each head. Not thread-safe.
public final class EntryBounds {
  /// The most heads of the T-Ledger that are kept, the first ones; receipts under later ones are
  /// not compared with the log.
  static final int HEADS_MAX = 1 << 20;

  private final Digest clueId;
  private long[] sizes = new long[64];
  private byte[] roots = new byte[sizes.length * Digest.BYTES];
  private int heads;
  private final Map<Long, Entry> entries = new HashMap<>();
  private final Deque<Long> open = new ArrayDeque<>();
  private long latestMs = TimeState.UNKNOWN;
  private ClueRow row = new ClueRow();
  private int next;

  /// @param clueId that the submitter's entries name
  public EntryBounds(Digest clueId) {
    this.clueId = clueId;
  }

  /// Both times are {@link TimeState#UNKNOWN} where no token proves them.
  record Entry(Digest leafHash, long notBeforeMs, long notAfterMs) {}

  /// A chunk begins.
  public void begin(ClueRow clues) {
    row = clues;
    next = 0;
  }

  /// To be told of each leaf in order.
  ///
  /// @param leaf its index in the chunk
  public void leaf(int leaf, long jsn, Digest leafHash) {
    while (next < row.count() && row.leaf(next) == leaf) {
      if (row.clueId(next).equals(clueId)) {
        entries.put(jsn, new Entry(leafHash, latestMs, TimeState.UNKNOWN));
        open.add(jsn);
      }
      next++;
    }
  }

  /// A token of the T-Ledger was verified.
  ///
  /// @param size of the head it is about
  public void token(long genTimeMs, long size) {
    while (!open.isEmpty() && open.getFirst() < size) {
      entries.computeIfPresent(
          open.removeFirst(),
          (_, entry) -> new Entry(entry.leafHash(), entry.notBeforeMs(), genTimeMs));
    }
    latestMs = Math.max(latestMs, genTimeMs);
  }

  /// A block of the T-Ledger was sealed.
  public void sealed(long size, Digest root) {
    if (heads == HEADS_MAX) {
      return;
    }
    if (heads == sizes.length) {
      sizes = Arrays.copyOf(sizes, 2 * heads);
      roots = Arrays.copyOf(roots, 2 * roots.length);
    }
    System.arraycopy(root.toArray(), 0, roots, heads * Digest.BYTES, Digest.BYTES);
    sizes[heads++] = size;
  }

  /// @param size below that of the audited log
  /// @throws ProofRejectedException `FORK` unless the T-Ledger's log had this head; of one behind
  ///   the {@link #HEADS_MAX} first nothing is said
  void checkHead(long size, Digest root) throws ProofRejectedException {
    int at = Arrays.binarySearch(sizes, 0, heads, size);
    if (at < 0 && heads == HEADS_MAX && size > sizes[heads - 1]) {
      return;
    }
    byte[] signed = root.toArray();
    int from = at * Digest.BYTES;
    if (at < 0 || !Arrays.equals(roots, from, from + Digest.BYTES, signed, 0, Digest.BYTES)) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.FORK,
          String.format(
              Locale.ROOT,
              "the T-Ledger's log has no head of size %d with root %s, which it signed",
              size,
              root));
    }
  }

  Optional<Entry> at(long jsn) {
    return Optional.ofNullable(entries.get(jsn));
  }
}
