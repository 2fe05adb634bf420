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
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// That a state forest holds a key with this entry as its newest, or not at all: a search in the
/// partition that holds it and in all newer ones, or in all. Its values are as they were received,
/// checked when it is verified. Source: `docs/formats/forest.md`.
///
/// @param count of the forest's partitions
/// @param first index of the first partition searched; the key is in it, or it is the oldest
/// @param roots of the maximal complete subtrees over the partitions before it
/// @param searches in the partitions `first` to `count - 1`
public record StateLookup(
    long count, long first, List<Digest> roots, List<PartitionSearch> searches) {
  public StateLookup {
    roots = List.copyOf(roots);
    searches = List.copyOf(searches);
  }

  /// Writes four items.
  public void encodeInto(CborWriter out) {
    out.uint(count).uint(first).array(roots.size());
    roots.forEach(out::digest);
    out.array(searches.size());
    searches.forEach(search -> search.encodeInto(out));
  }

  /// Reads four items.
  public static StateLookup decode(CborReader in) throws MalformedException {
    long count = in.uint();
    long first = in.uint();
    List<Digest> roots = Hashes.decode(in, RangeProof.ROOTS_MAX);
    int shown = in.arrayAtMost("searches", Partitions.COUNT_MAX);
    List<PartitionSearch> searches = new ArrayList<>();
    for (int i = 0; i < shown; i++) {
      searches.add(PartitionSearch.decode(in));
    }
    return new StateLookup(count, first, roots, searches);
  }

  /// @param root from the seal of a trusted head
  /// @param height of that seal
  public StateAnswer verify(Bytes key, StateRoot root, long height) throws ProofRejectedException {
    if (key.isEmpty() || key.size() > StateEntry.KEY_BYTES_MAX) {
      throw new ProofRejectedException(Reason.MALFORMED, "key of " + key.size() + " bytes");
    }
    List<Bytes> encoded = searches.stream().map(PartitionSearch::partition).toList();
    List<StatePartition> partitions = Partitions.verify(count, first, roots, encoded, height, root);
    Optional<StateEntry> found = Optional.empty();
    for (int i = partitions.size() - 1; i >= 0; i--) {
      Optional<StateEntry> entry = searches.get(i).verify(key, partitions.get(i));
      if (entry.isPresent() && i > 0) {
        throw new ProofRejectedException(
            Reason.WRONG_KEY,
            String.format(
                Locale.ROOT, "partition %d holds the key, %d older ones are shown", first + i, i));
      }
      found = entry;
    }
    if (found.isPresent()) {
      StateEntry entry = found.get();
      return entry.isPresent() ? new StateAnswer.Present(entry) : new StateAnswer.Deleted(entry);
    }
    if (first != 0) {
      throw new ProofRejectedException(
          Reason.MISSING, first + " older partitions, any of which may hold the key");
    }
    return new StateAnswer.Absent(key, partitions.isEmpty() || partitions.getFirst().number() == 0);
  }
}
