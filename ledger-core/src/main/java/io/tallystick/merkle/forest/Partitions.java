package io.tallystick.merkle.forest;

import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The newest partitions of a forest, as a proof shows them, and what they must be to be those of a
/// state root.
final class Partitions {
  /// The most partitions of a forest that a proof is made of.
  static final int COUNT_MAX = 65_535;

  private Partitions() {}

  /// @param count of the forest's partitions
  /// @param first index of the first that is shown; all newer ones are
  /// @param encoded those shown, oldest first
  /// @param height of the block whose root it is
  static List<StatePartition> verify(
      long count, long first, List<Digest> roots, List<Bytes> encoded, long height, StateRoot root)
      throws ProofRejectedException {
    checkShape(count, first, encoded.size());
    if (count == 0) {
      checkNone(roots, root);
      return List.of();
    }
    List<StatePartition> partitions = decode(encoded);
    checkOrder(partitions, first, height);
    List<Digest> leaves = encoded.stream().map(TreeHasher::leafHash).toList();
    Digest partitionsRoot = new RangeProof(first, encoded.size(), count, roots).rootFrom(leaves);
    checkRoot(StateRoot.of(count, partitionsRoot), root);
    return partitions;
  }

  private static void checkShape(long count, long first, int shown) throws ProofRejectedException {
    if (count < 0 || count > COUNT_MAX) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE, count + " partitions, at most " + COUNT_MAX);
    }
    if (first < 0 || (count > 0 && first >= count) || first + shown != count) {
      throw new ProofRejectedException(
          Reason.INDEX_OUT_OF_RANGE,
          String.format(Locale.ROOT, "%d partitions shown from %d on, of %d", shown, first, count));
    }
  }

  private static void checkNone(List<Digest> roots, StateRoot root) throws ProofRejectedException {
    if (!roots.isEmpty()) {
      throw new ProofRejectedException(
          Reason.WRONG_PATH_LENGTH, roots.size() + " hashes beside no partition");
    }
    checkRoot(StateRoot.EMPTY, root);
  }

  private static void checkRoot(StateRoot computed, StateRoot want) throws ProofRejectedException {
    if (!computed.equals(want)) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH, "state root " + computed + ", want " + want);
    }
  }

  private static List<StatePartition> decode(List<Bytes> encoded) throws ProofRejectedException {
    List<StatePartition> partitions = new ArrayList<>(encoded.size());
    for (Bytes partition : encoded) {
      try {
        partitions.add(StatePartition.decode(partition));
      } catch (MalformedException e) {
        throw new ProofRejectedException(Reason.MALFORMED, "partition: " + e.getMessage(), e);
      }
    }
    return partitions;
  }

  private static void checkOrder(List<StatePartition> partitions, long first, long height)
      throws ProofRejectedException {
    if (partitions.getFirst().number() < first) {
      throw new ProofRejectedException(
          Reason.INDEX_OUT_OF_RANGE,
          "partition " + partitions.getFirst().number() + " has " + first + " older ones");
    }
    long above = -1;
    for (int i = 0; i < partitions.size(); i++) {
      StatePartition partition = partitions.get(i);
      boolean newest = i == partitions.size() - 1;
      long last = partition.lastHeight().orElse(newest ? height : -1);
      if (partition.number() - i != partitions.getFirst().number()
          || partition.firstHeight() <= above
          || last < partition.firstHeight()
          || last > height) {
        throw new ProofRejectedException(
            Reason.BROKEN_CHAIN, partition + " behind height " + above + ", seal at " + height);
      }
      above = last;
    }
  }
}
