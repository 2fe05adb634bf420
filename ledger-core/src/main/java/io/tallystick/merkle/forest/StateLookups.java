package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.RangeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a state forest holds of each of several keys, as {@link StateLookup} shows it of one. A
/// partition shows only the keys that no newer one holds. Its values are as they were received,
/// checked when it is verified. Source: `docs/formats/forest.md`.
///
/// @param count of the forest's partitions
/// @param first index of the first partition shown: the newest behind which no key is left to look
///   up, or the oldest
/// @param roots of the maximal complete subtrees over the partitions before it
/// @param parts of the partitions `first` to `count - 1`
public record StateLookups(long count, long first, List<Digest> roots, List<Part> parts) {
  /// The most keys of one proof.
  public static final int KEYS_MAX = 1_000;

  /// The fewest: one key has a proof of its own.
  public static final int KEYS_MIN = 2;

  /// The most trees of one proof, all nodes counted.
  public static final int TREES_MAX = 65_536;

  public StateLookups {
    roots = List.copyOf(roots);
    parts = List.copyOf(parts);
  }

  /// @param partition as it is encoded below the state root
  public record Part(Bytes partition, LookupTree tree) {}

  /// Writes four items.
  public void encodeInto(CborWriter out) {
    out.uint(count).uint(first).array(roots.size());
    roots.forEach(out::digest);
    out.array(parts.size());
    for (Part part : parts) {
      out.array(2).bytes(part.partition);
      part.tree.encodeInto(out);
    }
  }

  /// Reads four items.
  public static StateLookups decode(CborReader in) throws MalformedException {
    long count = in.uint();
    long first = in.uint();
    List<Digest> roots = Hashes.decode(in, RangeProof.ROOTS_MAX);
    int shown = in.arrayAtMost("parts", Partitions.COUNT_MAX);
    LookupTree.Count trees = new LookupTree.Count();
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < shown; i++) {
      in.array("part", 2);
      Bytes partition = Bytes.wrap(in.bytes("partition", StatePartition.BYTES_MAX));
      parts.add(new Part(partition, LookupTree.decode(in, StateNode.LEVEL_MAX, trees)));
    }
    return new StateLookups(count, first, roots, parts);
  }

  /// @param keys 2 to {@link #KEYS_MAX}, strictly ascending
  /// @param root from the seal of a trusted head
  /// @param height of that seal
  /// @return of each key, in their order
  public List<StateAnswer> verify(List<Bytes> keys, StateRoot root, long height)
      throws ProofRejectedException {
    checkKeys(keys);
    List<Bytes> encoded = parts.stream().map(Part::partition).toList();
    List<StatePartition> partitions = Partitions.verify(count, first, roots, encoded, height, root);
    Map<Bytes, StateEntry> found = new HashMap<>();
    List<Bytes> pending = keys;
    for (int i = partitions.size() - 1; i >= 0; i--) {
      if (pending.isEmpty()) {
        throw new ProofRejectedException(
            Reason.WRONG_KEY,
            String.format(
                Locale.ROOT, "partition %d is shown, newer ones hold all keys", first + i));
      }
      checkTree(parts.get(i).tree, partitions.get(i), pending, found);
      pending = pending.stream().filter(key -> !found.containsKey(key)).toList();
    }
    if (!pending.isEmpty() && first != 0) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(
              Locale.ROOT,
              "%d older partitions, any of which may hold %d of the keys",
              first,
              pending.size()));
    }
    boolean all = partitions.isEmpty() || partitions.getFirst().number() == 0;
    return keys.stream().map(key -> answer(key, found.get(key), all)).toList();
  }

  private static void checkKeys(List<Bytes> keys) throws ProofRejectedException {
    if (keys.size() < KEYS_MIN || keys.size() > KEYS_MAX) {
      throw new ProofRejectedException(
          Reason.MALFORMED,
          String.format(Locale.ROOT, "%d keys, want %d to %d", keys.size(), KEYS_MIN, KEYS_MAX));
    }
    for (int i = 0; i < keys.size(); i++) {
      Bytes key = keys.get(i);
      if (key.isEmpty() || key.size() > StateEntry.KEY_BYTES_MAX) {
        throw new ProofRejectedException(Reason.MALFORMED, "key of " + key.size() + " bytes");
      }
      if (i > 0 && key.compareTo(keys.get(i - 1)) <= 0) {
        throw new ProofRejectedException(Reason.MALFORMED, "key " + i + " does not ascend");
      }
    }
  }

  private static void checkTree(
      LookupTree tree, StatePartition partition, List<Bytes> keys, Map<Bytes, StateEntry> found)
      throws ProofRejectedException {
    Digest hash = tree.verify(KeyRange.ALL, keys, partition.entryCount(), found);
    if (!hash.equals(partition.rootHash())) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH, "partition's root is " + hash + ", want " + partition.rootHash());
    }
  }

  private static StateAnswer answer(Bytes key, @Nullable StateEntry entry, boolean all) {
    if (entry == null) {
      return new StateAnswer.Absent(key, all);
    }
    return entry.isPresent() ? new StateAnswer.Present(entry) : new StateAnswer.Deleted(entry);
  }
}
