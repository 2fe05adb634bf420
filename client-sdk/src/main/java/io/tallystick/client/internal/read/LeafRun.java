package io.tallystick.client.internal.read;

import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;

/// Checks that a run of leaves stands in a tree, by the inclusion proofs of its first and last leaf
/// alone: the siblings left of the run are in the first path, those right of it in the last one,
/// and all between is made of the leaves. One node hash per leaf instead of a whole path.
final class LeafRun {
  private final long size;
  private final List<Digest> firstPath;
  private final List<Digest> lastPath;
  private int firstUsed;
  private int lastUsed;
  private long low;
  private long high;
  private List<Digest> row;

  private LeafRun(InclusionProof first, InclusionProof last, List<Digest> leafHashes) {
    this.size = first.size();
    this.firstPath = first.path();
    this.lastPath = last.path();
    this.low = first.index();
    this.high = last.index();
    this.row = leafHashes;
  }

  /// @param leafHashes of the leaves from `first.index()` to `last.index()`
  static void verify(
      InclusionProof first, InclusionProof last, List<Digest> leafHashes, JournalRoot root)
      throws ProofRejectedException {
    checkShape(first, last, leafHashes.size());
    Digest computed = new LeafRun(first, last, leafHashes).root();
    if (!computed.equals(root.digest())) {
      throw new ProofRejectedException(Reason.ROOT_MISMATCH, computed + ", want " + root);
    }
  }

  private static void checkShape(InclusionProof first, InclusionProof last, int count)
      throws ProofRejectedException {
    if (first.size() != last.size() || first.size() < 1 || first.size() > TreeGeometry.SIZE_MAX) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE, "sizes " + first.size() + " and " + last.size());
    }
    if (first.index() < 0
        || last.index() >= last.size()
        || count < 1
        || last.index() - first.index() != count - 1) {
      throw new ProofRejectedException(
          Reason.INDEX_OUT_OF_RANGE,
          count + " leaves from " + first.index() + " to " + last.index() + " of " + last.size());
    }
    checkLength(first);
    checkLength(last);
  }

  private static void checkLength(InclusionProof proof) throws ProofRejectedException {
    int want = TreeGeometry.inclusionPathLength(proof.index(), proof.size());
    if (proof.path().size() != want) {
      throw new ProofRejectedException(
          Reason.WRONG_PATH_LENGTH, proof.path().size() + " hashes, want " + want);
    }
  }

  private Digest root() throws ProofRejectedException {
    for (long last = size - 1; last > 0; last >>= 1) {
      List<Digest> padded = new ArrayList<>(row.size() + 2);
      if ((low & 1) == 1) {
        padded.add(firstPath.get(firstUsed));
      }
      padded.addAll(row);
      if ((high & 1) == 0 && high < last) {
        padded.add(lastPath.get(lastUsed));
      }
      long base = low & ~1L;
      firstUsed = checkSibling(firstPath, firstUsed, low, last, padded, base);
      lastUsed = checkSibling(lastPath, lastUsed, high, last, padded, base);
      row = parents(padded);
      low >>= 1;
      high >>= 1;
    }
    return row.getFirst();
  }

  /// Both paths hold siblings that lie inside the run, too: a path that is wrong there is no proof.
  private static int checkSibling(
      List<Digest> path, int used, long node, long last, List<Digest> padded, long base)
      throws ProofRejectedException {
    long sibling = node ^ 1;
    if (sibling > last) {
      return used;
    }
    Digest known = padded.get(Math.toIntExact(sibling - base));
    if (!known.equals(path.get(used))) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH, "sibling " + sibling + " is " + path.get(used) + ", want " + known);
    }
    return used + 1;
  }

  private static List<Digest> parents(List<Digest> level) {
    List<Digest> parents = new ArrayList<>((level.size() + 1) / 2);
    for (int i = 0; i + 1 < level.size(); i += 2) {
      parents.add(TreeHasher.nodeHash(level.get(i), level.get(i + 1)));
    }
    if (level.size() % 2 == 1) {
      parents.add(level.getLast());
    }
    return parents;
  }
}
