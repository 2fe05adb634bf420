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
  private static final int NEW = -1; // the source of a child that the old node has not

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

  /// Adds a child that the node which is made anew has not.
  void add(NodeRef ref) {
    reserve(1);
    sources[size] = NEW;
    ref.hash().copyInto(hashes, size * Digest.BYTES);
    counts[size] = ref.entryCount();
    boolean inMemory = ref.page() != null;
    addresses[size] = ref.address();
    refs[size] = inMemory ? ref : null;
    anyRef |= inMemory;
    size++;
  }

  /// Adds the children `[from, to)` of the node that is made anew, and the separators between them.
  void addAll(InnerPage old, int from, int to) {
    reserve(to - from);
    old.copyChildren(from, to, hashes, counts, addresses, refs, size);
    for (int slot = from; slot < to; slot++) {
      if (slot > from) {
        separators.add(old.separators().values().get(slot - 1));
      }
      anyRef |= refs[size] != null;
      sources[size++] = slot;
    }
  }

  private void reserve(int more) {
    if (size + more > counts.length) {
      int room = Math.max(2 * counts.length, size + more);
      hashes = Arrays.copyOf(hashes, room * Digest.BYTES);
      counts = Arrays.copyOf(counts, room);
      addresses = Arrays.copyOf(addresses, room);
      refs = Arrays.copyOf(refs, room);
      sources = Arrays.copyOf(sources, room);
    }
  }

  /// Forgets all children; the arrays stay.
  void clear() {
    separators.clear();
    Arrays.fill(refs, null);
    anyRef = false;
    size = 0;
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
