package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.Separators;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Children of one level in order, and the separators between them, of which inner nodes are made.
/// One thread's.
final class ChildList {
  /// As the source of a child that the old node has not.
  static final int NEW = -1;

  private final List<Bytes> separators = new ArrayList<>();
  private byte[] hashes = new byte[32 * Digest.BYTES];
  private long[] counts = new long[32];
  private long[] addresses = new long[32];
  private @Nullable NodeRef[] refs = new NodeRef[32];
  private int[] sources = new int[32];
  private boolean anyRef;
  private int size;

  int size() {
    return size;
  }

  /// The separator between the child added last and the next one.
  void separator(Bytes separator) {
    separators.add(separator);
  }

  /// @param source its slot in the node that is made anew; {@link #NEW}
  void add(NodeRef ref, int source) {
    grow();
    sources[size] = source;
    ref.hash().copyInto(hashes, size * Digest.BYTES);
    counts[size] = ref.entryCount();
    boolean inMemory = ref.page() != null;
    addresses[size] = ref.address();
    refs[size] = inMemory ? ref : null;
    anyRef |= inMemory;
    size++;
  }

  private void grow() {
    if (size == counts.length) {
      hashes = Arrays.copyOf(hashes, 2 * hashes.length);
      counts = Arrays.copyOf(counts, 2 * size);
      addresses = Arrays.copyOf(addresses, 2 * size);
      refs = Arrays.copyOf(refs, 2 * size);
      sources = Arrays.copyOf(sources, 2 * size);
    }
  }

  /// A node of the children `[from, to)`, at least two.
  InnerPage page(int level, int from, int to) {
    return new InnerPage(
        level,
        new Separators(separators.subList(from, to - 1)),
        Arrays.copyOfRange(hashes, from * Digest.BYTES, to * Digest.BYTES),
        Arrays.copyOfRange(counts, from, to),
        Arrays.copyOfRange(addresses, from, to),
        anyRef ? Arrays.copyOfRange(refs, from, to) : new NodeRef[0]);
  }

  /// The slots of the children in the node that is made anew.
  int[] sources() {
    return Arrays.copyOf(sources, size);
  }

  Bytes separatorBefore(int index) {
    return separators.get(index - 1);
  }
}
