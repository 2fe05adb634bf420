package io.tallystick.storage.forest;

import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An inner node: arrays of what it says of its children. A child in memory has its reference
/// there, others are referred to by their addresses alone.
///
/// ```
///  0           2
///  +-----------+------------------+----------------+------------------+------------+
///  | count u16 | addresses (6, n) | hashes (32, n) | entry counts (n) | separators |
///  +-----------+------------------+----------------+------------------+------------+
///  separators: length of the prefix, prefix; length of the suffix, suffix, of each
/// ```
///
/// Counts and lengths are numbers as in {@link EntryBytes}.
final class InnerPage extends ForestPage {
  private static final int ADDRESS_BYTES = 6;
  private static final int RECORD_TYPE = 5;
  private static final int OVERHEAD_BYTES = 192; // of the page, its reference and its arrays
  private static final int CHILD_BYTES = Digest.BYTES + Long.BYTES + Long.BYTES + 4;
  private static final int SEPARATOR_BYTES = 48; // beside its bytes
  private static final int NUMBER_BYTES_MAX = 10;

  private final int level;
  private final Separators separators;
  private final byte[] hashes;
  private final long[] counts;
  private final long[] addresses;
  private final @Nullable NodeRef[] refs;
  private final long entryCount;

  /// @param hashes of the children, one behind the other
  /// @param addresses of the children that are saved
  /// @param refs of the others
  InnerPage(
      int level,
      Separators separators,
      byte[] hashes,
      long[] counts,
      long[] addresses,
      @Nullable NodeRef[] refs) {
    this.level = level;
    this.separators = separators;
    this.hashes = hashes;
    this.counts = counts;
    this.addresses = addresses;
    this.refs = refs;
    this.entryCount = Arrays.stream(counts).sum();
  }

  /// A child, to be looked for where this page was found.
  NodeRef child(int slot) {
    NodeRef ref = refs.length == 0 ? null : refs[slot];
    return ref != null
        ? ref
        : NodeRef.saved(
            level - 1, Digest.of(hashes, slot * Digest.BYTES), counts[slot], addresses[slot]);
  }

  /// The child that a savepoint may have to write; null if it is written.
  @Nullable NodeRef unsavedChild(int slot) {
    NodeRef ref = refs.length == 0 ? null : refs[slot];
    return ref != null && ref.isUnsaved() ? ref : null;
  }

  long address(int slot) {
    NodeRef ref = refs.length == 0 ? null : refs[slot];
    return ref == null ? addresses[slot] : ref.address();
  }

  /// Copies what it says of the children `[from, to)` to place `at` of arrays.
  void copyChildren(
      int from,
      int to,
      byte[] toHashes,
      long[] toCounts,
      long[] toAddresses,
      @Nullable NodeRef[] toRefs,
      int at) {
    int count = to - from;
    System.arraycopy(
        hashes, from * Digest.BYTES, toHashes, at * Digest.BYTES, count * Digest.BYTES);
    System.arraycopy(counts, from, toCounts, at, count);
    for (int i = 0; i < count; i++) {
      NodeRef ref = refs.length == 0 ? null : refs[from + i];
      boolean inMemory = ref != null && ref.page() != null;
      toAddresses[at + i] = ref == null ? addresses[from + i] : ref.address();
      toRefs[at + i] = inMemory ? ref : null;
    }
  }

  long childEntries(int slot) {
    return counts[slot];
  }

  /// The same page, whose children all have addresses, without references. It takes the hashes of
  /// the records over. For the owner.
  InnerPage saved() {
    long[] all = new long[count()];
    for (int i = 0; i < all.length; i++) {
      all[i] = address(i);
    }
    InnerPage page = at(all);
    page.rest(rest());
    page.recordHashes(handOver());
    return page;
  }

  /// The same page with its children at other addresses.
  InnerPage at(long[] newAddresses) {
    InnerPage page = new InnerPage(level, separators, hashes, counts, newAddresses, new NodeRef[0]);
    page.hash(hash());
    return page;
  }

  @Override
  int level() {
    return level;
  }

  @Override
  int count() {
    return counts.length;
  }

  @Override
  long entryCount() {
    return entryCount;
  }

  @Override
  int bytes() {
    int bytes = OVERHEAD_BYTES + count() * (CHILD_BYTES + SEPARATOR_BYTES) + keptBytes();
    for (Bytes separator : separators.values()) {
      bytes += separator.size();
    }
    return bytes;
  }

  @Override
  void encodeRecord(int index, CborWriter out) {
    out.array(3).uint(RECORD_TYPE);
    out.bytes(hashes, index * Digest.BYTES, Digest.BYTES).uint(counts[index]);
  }

  @Override
  void encodeSeparators(CborWriter out) {
    int shared = shared();
    out.array(2).bytes(separators.values().getFirst().unsafeArray(), 0, shared);
    out.array(separators.size());
    for (Bytes separator : separators.values()) {
      out.bytes(separator.unsafeArray(), shared, separator.size() - shared);
    }
  }

  // An inner node has one separator at least; of ascending ones the first and last share least.
  private int shared() {
    Bytes first = separators.values().getFirst();
    Bytes last = separators.values().getLast();
    int shared = Arrays.mismatch(first.unsafeArray(), last.unsafeArray());
    return shared < 0 ? first.size() : shared;
  }

  @Override
  Separators separators() {
    return separators;
  }

  @Override
  byte[] image() {
    int n = count();
    int most = 2 + n * (ADDRESS_BYTES + Digest.BYTES + 2 * NUMBER_BYTES_MAX) + bytes();
    ByteBuffer out = ByteBuffer.allocate(most);
    out.putShort((short) n);
    for (int i = 0; i < n; i++) {
      long address = address(i);
      if (address == NodeRef.UNSAVED) {
        throw new AssertionError("a child without an address");
      }
      out.putShort((short) (address >>> Integer.SIZE)).putInt((int) address);
    }
    out.put(hashes);
    for (long entries : counts) {
      put(entries, out);
    }
    int shared = shared();
    put(shared, out);
    out.put(separators.values().getFirst().unsafeArray(), 0, shared);
    for (Bytes separator : separators.values()) {
      put(separator.size() - shared, out);
      out.put(separator.unsafeArray(), shared, separator.size() - shared);
    }
    return Arrays.copyOf(out.array(), out.position());
  }

  private static void put(long number, ByteBuffer out) {
    byte[] groups = new byte[NUMBER_BYTES_MAX];
    out.put(groups, 0, EntryBytes.putNumber(number, groups, 0));
  }

  /// A node as it was stored.
  static InnerPage of(int level, byte[] image) throws MalformedException {
    try {
      ByteBuffer in = ByteBuffer.wrap(image);
      int n = in.getShort() & 0xffff;
      if (n < 2) {
        throw new MalformedException("inner node of " + n + " children");
      }
      long[] addresses = new long[n];
      for (int i = 0; i < n; i++) {
        addresses[i] = (in.getShort() & 0xffffL) << Integer.SIZE | (in.getInt() & 0xffffffffL);
      }
      byte[] hashes = new byte[n * Digest.BYTES];
      in.get(hashes);
      long[] counts = new long[n];
      for (int i = 0; i < n; i++) {
        counts[i] = number(in);
      }
      Separators separators = separators(in, n - 1);
      if (in.hasRemaining()) {
        throw new MalformedException(in.remaining() + " bytes behind an inner node");
      }
      return new InnerPage(level, separators, hashes, counts, addresses, new NodeRef[0]);
    } catch (BufferUnderflowException
        | IndexOutOfBoundsException
        | NegativeArraySizeException
        | IllegalArgumentException e) {
      throw new MalformedException("inner node: " + e.getMessage(), e);
    }
  }

  private static Separators separators(ByteBuffer in, int count) {
    byte[] prefix = new byte[length(in)];
    in.get(prefix);
    List<Bytes> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = length(in);
      byte[] value = Arrays.copyOf(prefix, prefix.length + length);
      in.get(value, prefix.length, length);
      values.add(Bytes.wrap(value));
    }
    return new Separators(values);
  }

  // Before as much memory is taken.
  private static int length(ByteBuffer in) {
    long length = number(in);
    if (length < 0 || length > in.remaining()) {
      throw new IllegalArgumentException("length " + length + " goes behind the end");
    }
    return (int) length;
  }

  private static long number(ByteBuffer in) {
    byte[] groups = new byte[NUMBER_BYTES_MAX];
    int count = 0;
    do {
      groups[count] = in.get();
    } while (groups[count++] < 0);
    return EntryBytes.number(groups, 0);
  }
}
