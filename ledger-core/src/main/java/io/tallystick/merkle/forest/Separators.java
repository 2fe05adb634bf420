package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// The separators between the records of one node, strictly ascending: `[prefix, [suffix …]]`,
/// where the prefix is the longest that all of them share. A node of n records has n − 1. Source:
/// `docs/formats/forest.md`.
public record Separators(List<Bytes> values) {
  private static final byte HASH_PREFIX = 3;

  public Separators {
    values = List.copyOf(values);
    for (int i = 0; i < values.size(); i++) {
      Bytes value = values.get(i);
      if (value.isEmpty() || value.size() > StateEntry.KEY_BYTES_MAX) {
        throw new IllegalArgumentException("separator of " + value.size() + " bytes");
      }
      if (i > 0 && value.compareTo(values.get(i - 1)) <= 0) {
        throw new IllegalArgumentException(value + " does not ascend");
      }
    }
  }

  /// Those of a leaf that holds these keys.
  ///
  /// @param keys strictly ascending
  public static Separators between(List<Bytes> keys) {
    List<Bytes> values = new ArrayList<>(Math.max(0, keys.size() - 1));
    for (int i = 1; i < keys.size(); i++) {
      values.add(shortest(keys.get(i - 1), keys.get(i)));
    }
    return new Separators(values);
  }

  /// The shortest prefix of `right` that is above `left`.
  ///
  /// @param right above `left`
  public static Bytes shortest(Bytes left, Bytes right) {
    int shared = Arrays.mismatch(left.unsafeArray(), right.unsafeArray());
    return right.slice(0, shared + 1);
  }

  public int size() {
    return values.size();
  }

  /// The index of the record that `key` belongs to: the number of separators that are at most
  /// `key`.
  public int slot(Bytes key) {
    return count(key, true);
  }

  /// The number of separators below `key`.
  public int countBelow(Bytes key) {
    return count(key, false);
  }

  private int count(Bytes key, boolean orEqual) {
    int low = 0;
    int high = values.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order = values.get(middle).compareTo(key);
      if (order < 0 || (orEqual && order == 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// SHA-256(0x03 ‖ the encoding).
  public Digest keysHash() {
    return Sha256.hash(new byte[] {HASH_PREFIX}, encode().unsafeArray());
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(256);
    encodeInto(out);
    return out.toBytes();
  }

  void encodeInto(CborWriter out) {
    int shared = sharedPrefix(values);
    Bytes prefix = values.isEmpty() ? Bytes.EMPTY : values.getFirst().slice(0, shared);
    out.array(2).bytes(prefix).array(values.size());
    for (Bytes value : values) {
      out.bytes(value.unsafeArray(), shared, value.size() - shared);
    }
  }

  // Of ascending values the first and the last share least.
  private static int sharedPrefix(List<Bytes> ascending) {
    if (ascending.isEmpty()) {
      return 0;
    }
    Bytes first = ascending.getFirst();
    int shared = Arrays.mismatch(first.unsafeArray(), ascending.getLast().unsafeArray());
    return shared < 0 ? first.size() : shared;
  }

  /// @param want how many there must be
  static Separators decode(CborReader in, int want) throws MalformedException {
    in.array("separators", 2);
    Bytes prefix = Bytes.wrap(in.bytes("prefix", StateEntry.KEY_BYTES_MAX));
    in.array("suffixes", want);
    List<Bytes> values = new ArrayList<>(want);
    for (int i = 0; i < want; i++) {
      values.add(joined(prefix, in.bytes("suffix", StateEntry.KEY_BYTES_MAX - prefix.size())));
    }
    checkCanonical(prefix, values);
    return new Separators(values);
  }

  private static Bytes joined(Bytes prefix, byte[] suffix) {
    byte[] value = Arrays.copyOf(prefix.unsafeArray(), prefix.size() + suffix.length);
    System.arraycopy(suffix, 0, value, prefix.size(), suffix.length);
    return Bytes.wrap(value);
  }

  private static void checkCanonical(Bytes prefix, List<Bytes> values) throws MalformedException {
    if (values.isEmpty() && !prefix.isEmpty()) {
      throw new MalformedException("a prefix of no separators");
    }
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i).isEmpty() || (i > 0 && values.get(i).compareTo(values.get(i - 1)) <= 0)) {
        throw new MalformedException("separator " + i + " does not ascend: " + values.get(i));
      }
    }
    if (sharedPrefix(values) != prefix.size()) {
      throw new MalformedException(
          String.format(
              Locale.ROOT,
              "prefix of %d bytes, the separators share %d",
              prefix.size(),
              sharedPrefix(values)));
    }
  }
}
