package io.tallystick.audit.source;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.HashBuffer;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.Objects;

/// Consecutive entries in one array, without an object for each, in the order of their fields:
/// leaf, attestation, operations, salt, body. Filled by one thread, then read by another; reused
/// after {@link #clear}.
public final class EntryRun {
  private static final int FIELDS = 5;
  private static final int LEAF = 0;
  private static final int ATTESTATION = 1;
  private static final int OPS = 2;
  private static final int SALT = 3;
  private static final int BODY = 4;
  private static final int BYTES_MIN = 1 << 16;
  private static final int ENTRIES_MIN = 256;

  /// About so many bytes of leaves are hashed together on the CPU.
  private static final int CALL_BYTES = 1 << 20;

  /// A leaf has about so many bytes: a call to a device has room for all its messages.
  private static final long LEAF_BYTES = 256;

  private byte[] bytes = new byte[BYTES_MIN];
  private int[] ends = new int[ENTRIES_MIN * FIELDS];
  private BodyState[] states = new BodyState[ENTRIES_MIN];
  private long[] sources = new long[ENTRIES_MIN];
  private byte[] leafHashes = new byte[ENTRIES_MIN * Digest.BYTES];
  private boolean[] hashed = new boolean[ENTRIES_MIN];
  private int count;
  private int fields;
  private int length;

  public EntryRun() {}

  public void clear() {
    count = 0;
    fields = 0;
    length = 0;
  }

  /// Whole entries.
  public int count() {
    return count;
  }

  /// The array all positions are in; not to be written to by readers.
  public byte[] bytes() {
    return bytes;
  }

  /// Begins the next entry; its five fields must follow.
  ///
  /// @param source where its source has it, to be opened there again; 0 if that has no such place
  void begin(long source) {
    if (fields != count * FIELDS) {
      throw new IllegalStateException("the entry before has no end");
    }
    if (count == states.length) {
      states = Arrays.copyOf(states, 2 * count);
      sources = Arrays.copyOf(sources, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count * FIELDS);
      leafHashes = Arrays.copyOf(leafHashes, 2 * count * Digest.BYTES);
      hashed = Arrays.copyOf(hashed, 2 * count);
    }
    sources[count] = source;
    hashed[count] = false;
  }

  /// The hash of the leaf of the entry begun last, from a source that needed it too: each is made
  /// once.
  ///
  /// @param hash of exactly the bytes that are its leaf
  void hashed(byte[] hash, int at) {
    System.arraycopy(hash, at, leafHashes, count * Digest.BYTES, Digest.BYTES);
    hashed[count] = true;
  }

  /// Makes room for the next field.
  ///
  /// @return where its bytes go in {@link #bytes}
  int field(int size) {
    room(size);
    int at = length;
    length += size;
    ends[fields++] = length;
    return at;
  }

  /// Ends the entry whose five fields were given.
  void end(BodyState state) {
    if (fields != (count + 1) * FIELDS) {
      throw new IllegalStateException("the entry does not have its five fields");
    }
    states[count++] = state;
  }

  /// The leaf of the entry begun last, whose first field it is.
  Bytes begunLeaf() {
    int at = leafAt(count);
    return Bytes.copyOf(bytes, at, leafEnd(count) - at);
  }

  public void add(LogEntry entry) {
    begin(0);
    add(entry.leaf());
    add(entry.attestation());
    add(entry.ops());
    add(entry.salt());
    add(entry.body());
    end(entry.bodyState());
  }

  private void add(Bytes value) {
    int at = field(value.size());
    value.copyInto(bytes, at);
  }

  /// Takes back what was begun and not ended.
  public void cancel() {
    fields = count * FIELDS;
    length = count == 0 ? 0 : ends[fields - 1];
  }

  /// Makes this run hold the last entry of another, which loses it.
  public void takeLast(EntryRun other) {
    clear();
    int last = other.count - 1;
    int from = other.leafAt(last);
    int size = other.length - from;
    room(size);
    System.arraycopy(other.bytes, from, bytes, 0, size);
    for (int field = 0; field < FIELDS; field++) {
      ends[field] = other.ends[last * FIELDS + field] - from;
    }
    states[0] = other.states[last];
    sources[0] = other.sources[last];
    hashed[0] = other.hashed[last];
    System.arraycopy(other.leafHashes, last * Digest.BYTES, leafHashes, 0, Digest.BYTES);
    fields = FIELDS;
    count = 1;
    length = size;
    other.count = last;
    other.cancel();
  }

  private void room(int more) {
    int needed = Math.addExact(length, more);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
    }
  }

  public int leafAt(int index) {
    return index == 0 ? 0 : ends[index * FIELDS - 1];
  }

  public int leafEnd(int index) {
    return ends[index * FIELDS + LEAF];
  }

  public int attestationAt(int index) {
    return leafEnd(index);
  }

  public int attestationEnd(int index) {
    return ends[index * FIELDS + ATTESTATION];
  }

  public int opsAt(int index) {
    return attestationEnd(index);
  }

  public int opsEnd(int index) {
    return ends[index * FIELDS + OPS];
  }

  public int saltAt(int index) {
    return opsEnd(index);
  }

  public int saltEnd(int index) {
    return ends[index * FIELDS + SALT];
  }

  public int bodyAt(int index) {
    return saltEnd(index);
  }

  public int bodyEnd(int index) {
    return ends[index * FIELDS + BODY];
  }

  public long source(int index) {
    return sources[index];
  }

  /// Whether the leaf is hashed.
  boolean isHashed(int index) {
    return hashed[index];
  }

  /// Hashes the leaves that their source has not hashed, in bulk. For the only reader.
  ///
  /// @param buffer of this hasher, for it to use
  public void hashLeaves(BatchHasher hasher, HashBuffer buffer) {
    int most = hasher.callMessages();
    long bytesMost = Math.max(CALL_BYTES, most * LEAF_BYTES);
    int from = 0;
    while (from < count) {
      buffer.clear();
      int to = from;
      while (to < count && !hashed[to] && to - from < most && buffer.length() < bytesMost) {
        buffer.put(bytes, leafAt(to), leafEnd(to) - leafAt(to)).endMessage();
        to++;
      }
      if (to > from) {
        hasher.leaves(buffer);
        buffer.digests(leafHashes, from * Digest.BYTES);
        Arrays.fill(hashed, from, to, true);
      }
      from = Math.max(to, from + 1);
    }
  }

  /// Hash `i` at `32 * i`, once all leaves are hashed; not to be written to.
  public byte[] leafHashes() {
    return leafHashes;
  }

  public BodyState state(int index) {
    return states[index];
  }

  /// The bytes the entry holds.
  public int sizeBytes(int index) {
    return bodyEnd(index) - leafAt(index);
  }

  public boolean attested(int index) {
    return attestationEnd(index) > attestationAt(index);
  }

  public Bytes leaf(int index) {
    return Bytes.copyOf(bytes, leafAt(index), leafEnd(index) - leafAt(index));
  }

  Bytes attestation(int index) {
    return Bytes.copyOf(bytes, attestationAt(index), attestationEnd(index) - attestationAt(index));
  }

  /// The entry as objects of its own.
  public LogEntry entry(int index) {
    Objects.checkIndex(index, count);
    return new LogEntry(
        leaf(index),
        attestation(index),
        Bytes.copyOf(bytes, opsAt(index), opsEnd(index) - opsAt(index)),
        states[index],
        Bytes.copyOf(bytes, saltAt(index), saltEnd(index) - saltAt(index)),
        Bytes.copyOf(bytes, bodyAt(index), bodyEnd(index) - bodyAt(index)));
  }
}
