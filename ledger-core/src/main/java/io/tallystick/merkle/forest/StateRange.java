package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The entries of a state forest with keys in `[from, to)`, all of them: the part of every
/// partition's tree that the range meets. Its values are as they were received, checked when it is
/// verified. Source: `docs/formats/forest.md`.
///
/// @param partitions all of the forest, oldest first
public record StateRange(List<Part> partitions) {
  /// The most present keys that one proof may show; a longer range takes several.
  public static final int RESULTS_MAX = 1_000;

  /// The longest `to`: the last key of a page and one zero byte.
  public static final int BOUND_BYTES_MAX = StateEntry.KEY_BYTES_MAX + 1;

  public StateRange {
    partitions = List.copyOf(partitions);
  }

  /// @param partition as it is encoded below the state root
  public record Part(Bytes partition, RangeNode node) {}

  /// Writes two items.
  public void encodeInto(CborWriter out) {
    out.uint(partitions.size()).array(partitions.size());
    for (Part part : partitions) {
      out.array(2).bytes(part.partition);
      part.node.encodeInto(out);
    }
  }

  /// Reads two items.
  public static StateRange decode(CborReader in) throws MalformedException {
    long count = in.uint("partitions", Partitions.COUNT_MAX);
    in.array("partitions", (int) count);
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      in.array("partition", 2);
      Bytes partition = Bytes.wrap(in.bytes("partition", StatePartition.BYTES_MAX));
      parts.add(new Part(partition, RangeNode.decode(in, StateNode.LEVEL_MAX)));
    }
    return new StateRange(parts);
  }

  /// @param from of the first key
  /// @param to behind the last key; empty for all keys from `from` on
  /// @param root from the seal of a trusted head
  /// @param height of that seal
  /// @return the newest entry of each key that has a value, in key order
  public List<StateEntry> verify(Bytes from, Optional<Bytes> to, StateRoot root, long height)
      throws ProofRejectedException {
    checkBounds(from, to);
    List<Bytes> encoded = partitions.stream().map(Part::partition).toList();
    List<StatePartition> decoded =
        Partitions.verify(partitions.size(), 0, List.of(), encoded, height, root);
    KeyRange wanted = new KeyRange(from, to.orElse(null));
    NavigableMap<Bytes, StateEntry> newest = new TreeMap<>();
    for (int i = 0; i < decoded.size(); i++) {
      for (StateEntry entry : entries(partitions.get(i).node, decoded.get(i), wanted)) {
        newest.put(entry.key(), entry);
      }
    }
    NavigableMap<Bytes, StateEntry> within =
        to.isPresent() ? newest.subMap(from, true, to.get(), false) : newest.tailMap(from, true);
    List<StateEntry> present = within.values().stream().filter(StateEntry::isPresent).toList();
    if (present.size() > RESULTS_MAX) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE, present.size() + " keys, at most " + RESULTS_MAX);
    }
    return present;
  }

  private static void checkBounds(Bytes from, Optional<Bytes> to) throws ProofRejectedException {
    if (from.size() > BOUND_BYTES_MAX || to.map(Bytes::size).orElse(0) > BOUND_BYTES_MAX) {
      throw new ProofRejectedException(Reason.MALFORMED, "an end of more than 257 bytes");
    }
    if (to.isPresent() && from.compareTo(to.get()) >= 0) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY, "range from " + from + " to " + to.get() + " holds no key");
    }
  }

  private static List<StateEntry> entries(RangeNode node, StatePartition partition, KeyRange wanted)
      throws ProofRejectedException {
    List<StateEntry> entries = new ArrayList<>();
    Digest hash = node.verify(KeyRange.ALL, wanted, partition.entryCount(), entries);
    if (!hash.equals(partition.rootHash())) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH, "partition's root is " + hash + ", want " + partition.rootHash());
    }
    return entries;
  }
}
