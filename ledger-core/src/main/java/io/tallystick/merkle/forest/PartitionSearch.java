package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The search for one key in one partition: `[partition bstr, [step …]]`, a step for each node from
/// the root to a leaf. Its values are as they were received, checked when it is verified. Source:
/// `docs/formats/forest.md`.
///
/// @param partition as it is encoded below the state root
public record PartitionSearch(Bytes partition, List<Step> steps) {
  /// The longest record: an entry with a key of 256 bytes.
  static final int RECORD_BYTES_MAX = 512;

  public PartitionSearch {
    steps = List.copyOf(steps);
  }

  /// One node on the way: `[level, n, separators, record bstr, [path …]]`.
  ///
  /// @param record in the slot of the key: at level 0 an entry, above it a child
  /// @param path of the record in the tree over the node's n records
  public record Step(int level, Separators separators, Bytes record, List<Digest> path) {
    public Step {
      path = List.copyOf(path);
    }

    int count() {
      return separators.size() + 1;
    }

    void encodeInto(CborWriter out) {
      out.array(5).uint(level).uint(count());
      separators.encodeInto(out);
      out.bytes(record).array(path.size());
      path.forEach(out::digest);
    }

    static Step decode(CborReader in) throws MalformedException {
      in.array("step", 5);
      int level = StateNode.decodeLevel(in);
      int count = StateNode.decodeCount(in, level);
      Separators separators = Separators.decode(in, count - 1);
      Bytes record = Bytes.wrap(in.bytes("record", RECORD_BYTES_MAX));
      return new Step(level, separators, record, Hashes.decode(in, TreeGeometry.PATH_HASHES_MAX));
    }
  }

  public void encodeInto(CborWriter out) {
    out.array(2).bytes(partition).array(steps.size());
    steps.forEach(step -> step.encodeInto(out));
  }

  public static PartitionSearch decode(CborReader in) throws MalformedException {
    in.array("search", 2);
    Bytes partition = Bytes.wrap(in.bytes("partition", StatePartition.BYTES_MAX));
    int count = in.arrayAtMost("steps", StateNode.LEVEL_MAX + 1);
    List<Step> steps = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      steps.add(Step.decode(in));
    }
    return new PartitionSearch(partition, steps);
  }

  /// @param decoded the partition
  /// @return the entry of the key; empty if the partition has none
  Optional<StateEntry> verify(Bytes key, StatePartition decoded) throws ProofRejectedException {
    checkLevels();
    StateNode.Child want = new StateNode.Child(decoded.rootHash(), decoded.entryCount());
    KeyRange range = KeyRange.ALL;
    for (Step step : steps) {
      range.checkInside(step.separators);
      int slot = step.separators.slot(key);
      checkHash(step, slot, want.hash());
      range = range.slot(step.separators, slot);
      if (step.level > 0) {
        want = child(step);
      }
    }
    return entry(steps.getLast(), key, range, want.entryCount());
  }

  private void checkLevels() throws ProofRejectedException {
    int want = steps.size() - 1;
    if (want < 0) {
      throw new ProofRejectedException(Reason.WRONG_PATH_LENGTH, "a search without steps");
    }
    for (Step step : steps) {
      if (step.level != want) {
        throw new ProofRejectedException(
            Reason.WRONG_PATH_LENGTH, "node of level " + step.level + ", want " + want);
      }
      want--;
    }
  }

  private static void checkHash(Step step, int slot, Digest want) throws ProofRejectedException {
    Digest root =
        new InclusionProof(slot, step.count(), step.path)
            .rootFrom(TreeHasher.leafHash(step.record));
    Digest hash = StateNode.hash(step.level, step.separators, root);
    if (!hash.equals(want)) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH,
          String.format(Locale.ROOT, "node of level %d is %s, want %s", step.level, hash, want));
    }
  }

  private static StateNode.Child child(Step step) throws ProofRejectedException {
    try {
      return StateNode.Child.decode(step.record);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "child: " + e.getMessage(), e);
    }
  }

  private static Optional<StateEntry> entry(Step leaf, Bytes key, KeyRange slot, long entryCount)
      throws ProofRejectedException {
    StateEntry entry;
    try {
      entry = StateEntry.decode(leaf.record);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "entry: " + e.getMessage(), e);
    }
    slot.checkHolds(entry.key());
    if (leaf.count() != entryCount) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, "leaf of " + leaf.count() + " entries, want " + entryCount);
    }
    return entry.key().equals(key) ? Optional.of(entry) : Optional.empty();
  }
}
