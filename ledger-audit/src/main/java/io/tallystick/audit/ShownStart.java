package io.tallystick.audit;

import io.tallystick.evidence.ShownJournal;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// What the pseudo-genesis of a purged log and its key chain show of the log behind: the purge, and
/// the heads of their receipts. Of a log that begins with genesis, nothing. Not thread-safe.
final class ShownStart {
  private static final long NONE = -1;

  private final TreeMap<Long, List<Digest>> roots = new TreeMap<>();
  private long purgeJsn = NONE;
  private Digest purgeHash = Digest.ZERO;
  private long nextSize = NONE;

  /// @throws FaultException if one of the heads is another than the log begins with
  void begin(Beginning beginning, BlockReplay blocks) throws FaultException {
    ShownJournal purge = beginning.start().purge();
    purgeJsn = purge.jsn().value();
    purgeHash = purge.leafHash();
    for (SignedHead head : beginning.start().heads()) {
      if (head.size().value() >= blocks.size()) {
        roots
            .computeIfAbsent(head.size().value(), size -> new ArrayList<>())
            .add(head.root().digest());
      }
    }
    nextSize = roots.isEmpty() ? NONE : roots.firstKey();
    check(blocks);
  }

  /// To be asked of each leaf, before it is judged.
  void leaf(LeafRow leaves, int index, long jsn) throws FaultException {
    if (jsn == purgeJsn && !leaves.hash(index).equals(purgeHash)) {
      throw new FaultException(
          jsn,
          FaultKind.PSEUDO_GENESIS_INVALID,
          "the log has another leaf than the purge of hash " + purgeHash);
    }
  }

  /// To be asked after every leaf.
  void check(BlockReplay blocks) throws FaultException {
    long size = blocks.size();
    if (size != nextSize) {
      return;
    }
    List<Digest> shown = roots.getOrDefault(size, List.of());
    roots.pollFirstEntry();
    nextSize = roots.isEmpty() ? NONE : roots.firstKey();
    Digest root = blocks.root();
    for (Digest each : shown) {
      if (!each.equals(root)) {
        throw new FaultException(
            size - 1,
            FaultKind.PSEUDO_GENESIS_INVALID,
            "root of size %d is %s, a receipt that the log begins with is under %s"
                .formatted(size, root, each));
      }
    }
  }
}
