package io.tallystick.audit.history;

import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.chunk.LeafRow;
import io.tallystick.audit.finding.CompactRange;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The chain of blocks: each seal continues the one before it, over the root recomputed from the
/// leaves. Not thread-safe.
final class BlockReplay {
  private final CompactRange tree = new CompactRange();
  private long height;
  private long firstJsn;
  private long timeMs;
  private Digest previous = Digest.ZERO;

  /// The next leaf's time: that of its block, which is no earlier than the one before.
  void checkTime(long jsn, long leafTimeMs) throws FaultException {
    if (leafTimeMs < timeMs) {
      throw new FaultException(
          jsn,
          FaultKind.TIME_BACKWARDS,
          "its time is " + Printable.time(leafTimeMs) + " after " + Printable.time(timeMs));
    }
    if (jsn > firstJsn && leafTimeMs > timeMs) {
      throw new FaultException(
          jsn,
          FaultKind.BROKEN_BLOCK,
          "its time is " + Printable.time(leafTimeMs) + " in a block of " + Printable.time(timeMs));
    }
    timeMs = leafTimeMs;
  }

  /// @param clueRoot of the journals up to this seal
  /// @param stateRoot of the operations up to this seal; null in a ledger without a state
  /// @throws FaultException unless this seal closes the block that began behind the last one
  void checkSeal(SealLeaf seal, Digest clueRoot, @Nullable Digest stateRoot) throws FaultException {
    long jsn = seal.jsn().value();
    if (jsn == firstJsn) {
      throw new FaultException(
          jsn, FaultKind.BROKEN_BLOCK, "a seal follows a seal: the block has no other leaf");
    }
    if (seal.height() != height) {
      throw new FaultException(
          jsn, FaultKind.WRONG_HEIGHT, "height is " + seal.height() + ", want " + height);
    }
    if (seal.firstJsn().value() != firstJsn) {
      throw new FaultException(
          jsn,
          FaultKind.BROKEN_BLOCK,
          "firstJsn is " + seal.firstJsn() + ", the block begins at " + firstJsn);
    }
    if (!seal.previous().equals(previous)) {
      throw new FaultException(
          jsn,
          FaultKind.BROKEN_CHAIN,
          "previous is " + seal.previous() + ", the seal before has leaf hash " + previous);
    }
    checkRoots(jsn, seal, clueRoot);
    checkStateRoot(jsn, seal, stateRoot);
  }

  private void checkRoots(long jsn, SealLeaf seal, Digest clueRoot) throws FaultException {
    Digest root = tree.root();
    if (!seal.journalRoot().equals(root)) {
      throw new FaultException(
          jsn,
          FaultKind.WRONG_ROOT,
          "journalRoot is " + seal.journalRoot() + ", the " + jsn + " leaves give " + root);
    }
    if (!seal.clueRoot().equals(clueRoot)) {
      throw featureRoot(jsn, FaultKind.WRONG_FEATURE_ROOT, "clueRoot", seal.clueRoot(), clueRoot);
    }
  }

  private void checkStateRoot(long jsn, SealLeaf seal, @Nullable Digest stateRoot)
      throws FaultException {
    Digest actual = seal.stateRoot();
    if (stateRoot == null && !actual.equals(SealLeaf.EMPTY_STATE_ROOT)) {
      throw featureRoot(
          jsn, FaultKind.WRONG_FEATURE_ROOT, "stateRoot", actual, SealLeaf.EMPTY_STATE_ROOT);
    }
    if (stateRoot != null && !actual.equals(stateRoot)) {
      throw featureRoot(jsn, FaultKind.WRONG_STATE_ROOT, "stateRoot", actual, stateRoot);
    }
  }

  private FaultException featureRoot(
      long jsn, FaultKind kind, String name, Digest actual, Digest want) {
    return new FaultException(
        jsn,
        kind,
        String.format(
            Locale.ROOT, "%s of block %d is %s, the journals give %s", name, height, actual, want));
  }

  void append(LeafRow leaves, int index) {
    tree.append(leaves.subtrees(), index);
  }

  /// Goes on behind a seal that has been checked and appended.
  void close(Digest sealHash) {
    previous = sealHash;
    firstJsn = tree.size();
    height++;
  }

  /// Goes on behind the seal of a statement.
  void restore(AuditStatement.Head head) {
    tree.restore(head.size(), head.frontier());
    height = head.height();
    firstJsn = head.size();
    timeMs = head.timeMs();
    previous = head.seal();
  }

  /// Goes on behind the seal up to which a log was purged.
  void begin(Beginning beginning) {
    Digest seal = beginning.sealHash();
    tree.restore(beginning.firstKept() - 1, beginning.snapshot().frontier());
    tree.append(seal.toArray(), 0);
    height = beginning.snapshot().height() + 1;
    firstJsn = tree.size();
    timeMs = beginning.seal().timeMs();
    previous = seal;
  }

  /// Where it stands, behind a seal.
  AuditStatement.Head head(long sealAt, boolean signed) {
    return new AuditStatement.Head(
        tree.size(), tree.subtrees(), tree.root(), previous, sealAt, height, timeMs, signed);
  }

  /// Where the block that is open begins.
  long firstJsn() {
    return firstJsn;
  }

  /// The height of the block that is open.
  long height() {
    return height;
  }

  /// The time of the last leaf, in milliseconds since the epoch.
  long timeMs() {
    return timeMs;
  }

  long size() {
    return tree.size();
  }

  Digest root() {
    return tree.root();
  }

  /// Whether the last leaf is a seal.
  boolean sealed() {
    return tree.size() > 0 && tree.size() == firstJsn;
  }
}
