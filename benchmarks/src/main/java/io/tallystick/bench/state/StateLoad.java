package io.tallystick.bench.state;

import io.tallystick.model.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// Random keys of 32 bytes and random values, all of which follow from a seed and a number: nothing
/// is kept of what was written, and every value that is read can be checked. Thread-safe.
final class StateLoad {
  /// The shortest value: its first bytes say which it is.
  static final int VALUE_BYTES_MIN = Long.BYTES;

  /// The longest: a request has at most 1 MiB.
  static final int VALUE_BYTES_MAX = 1 << 20;

  private static final int KEY_BYTES = 32;
  private static final int POOL_BYTES = 1 << 22;
  private static final long GAMMA = 0x9e3779b97f4a7c15L;
  private static final VarHandle U64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final long seed;
  private final int valueBytes;
  private final byte[] pool = new byte[POOL_BYTES];

  StateLoad(long seed, int valueBytes) {
    if (valueBytes < VALUE_BYTES_MIN || valueBytes > VALUE_BYTES_MAX) {
      throw new IllegalArgumentException("values of " + valueBytes + " bytes");
    }
    this.seed = seed;
    this.valueBytes = valueBytes;
    new SplittableRandom(seed).nextBytes(pool);
  }

  int valueBytes() {
    return valueBytes;
  }

  /// No two are alike.
  Bytes key(int index) {
    return words(seed, index);
  }

  /// Of a key that is never written.
  Bytes absentKey(int index) {
    return words(seed, -1L - index);
  }

  Put put(int index, int version) {
    long number = number(index, version);
    byte[] value = Arrays.copyOfRange(pool, poolAt(number), poolAt(number) + valueBytes);
    U64.set(value, 0, number);
    return new Put(key(index), words(~seed, number), Bytes.wrap(value));
  }

  /// Whether this is the value that {@link #put} writes.
  boolean matches(int index, int version, Bytes value) {
    long number = number(index, version);
    byte[] bytes = value.unsafeArray();
    int at = poolAt(number);
    return bytes.length == valueBytes
        && (long) U64.get(bytes, 0) == number
        && Arrays.equals(bytes, Long.BYTES, valueBytes, pool, at + Long.BYTES, at + valueBytes);
  }

  /// The key whose value this is, by the value's own word.
  static int index(Bytes value) {
    return (int) ((long) U64.get(value.unsafeArray(), 0) >>> Integer.SIZE);
  }

  /// Whether {@link #put} writes this value to this key, in whatever version.
  boolean matches(Bytes key, Bytes value) {
    if (value.size() != valueBytes) {
      return false;
    }
    int version = (int) (long) U64.get(value.unsafeArray(), 0);
    int index = index(value);
    return key(index).equals(key) && matches(index, version, value);
  }

  /// Puts of the keys `[from, to)`.
  List<Put> range(int from, int to, int version) {
    List<Put> puts = new ArrayList<>(to - from);
    for (int i = from; i < to; i++) {
      puts.add(put(i, version));
    }
    return puts;
  }

  /// Puts of so many distinct keys of the first `keys`, each one version above the one that
  /// `versions` names, which is raised.
  List<Put> updates(SplittableRandom random, int count, int[] versions, int keys) {
    Set<Integer> drawn = new HashSet<>();
    List<Put> puts = new ArrayList<>(count);
    while (puts.size() < Math.min(count, keys)) {
      int index = random.nextInt(keys);
      if (drawn.add(index)) {
        puts.add(put(index, ++versions[index]));
      }
    }
    return puts;
  }

  private static long number(int index, int version) {
    return (long) index << Integer.SIZE | version;
  }

  private int poolAt(long number) {
    return (int) Long.remainderUnsigned(mix(seed ^ number), POOL_BYTES - valueBytes);
  }

  private static Bytes words(long seed, long number) {
    byte[] bytes = new byte[KEY_BYTES];
    for (int i = 0; i < KEY_BYTES; i += Long.BYTES) {
      U64.set(bytes, i, mix(mix(seed + i) + number * GAMMA));
    }
    return Bytes.wrap(bytes);
  }

  /// The finalizer of SplitMix64: one to one.
  private static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
