package io.tallystick.testkit.reference;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// RFC 9162's recursive definitions, in its own letters: D is the list of data, n its length. Only
/// hashes of sub-lists are remembered. Shares nothing with the code under test but the value types.
public final class ReferenceTree {
  private record SubList(int from, int to) {}

  private final List<Bytes> d;
  private final Map<SubList, byte[]> remembered = new HashMap<>();

  public ReferenceTree(List<Bytes> d) {
    this.d = List.copyOf(d);
  }

  /// A tree of `n` leaves with different data.
  public static ReferenceTree ofSize(int n) {
    List<Bytes> d = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      d.add(Bytes.utf8("leaf " + i));
    }
    return new ReferenceTree(d);
  }

  public int size() {
    return d.size();
  }

  public Bytes data(int index) {
    return d.get(index);
  }

  public Digest leafHash(int index) {
    return Digest.of(mth(index, index + 1));
  }

  /// The leaf hashes `[from, to)`.
  public List<Digest> leafHashes(int from, int to) {
    List<Digest> hashes = new ArrayList<>(to - from);
    for (int i = from; i < to; i++) {
      hashes.add(leafHash(i));
    }
    return hashes;
  }

  /// MTH(D[0:n]), RFC 9162 section 2.1.1.
  public Digest root(int n) {
    return Digest.of(mth(0, n));
  }

  /// MTH(D[from:to]).
  public Digest root(int from, int to) {
    return Digest.of(mth(from, to));
  }

  /// PATH(m, D[0:n]), RFC 9162 section 2.1.3.1.
  public List<Digest> inclusionPath(int m, int n) {
    List<Digest> result = new ArrayList<>();
    path(m, 0, n, result);
    return result;
  }

  /// PROOF(m, D[0:n]), RFC 9162 section 2.1.4.1. Empty when m is n.
  public List<Digest> consistencyPath(int m, int n) {
    List<Digest> result = new ArrayList<>();
    subproof(m, 0, n, true, result);
    return result;
  }

  /// The roots of the maximal complete subtrees outside the leaves `[first, first + count)` of a
  /// tree of `n`, left to right: from the top, a complete subtree that touches no leaf of the range
  /// is taken whole, any other is divided.
  public List<Digest> outsideRange(int first, int count, int n) {
    List<Digest> result = new ArrayList<>();
    outside(0, n, first, first + count, result);
    return result;
  }

  private byte[] mth(int from, int to) {
    byte[] known = remembered.get(new SubList(from, to));
    if (known != null) {
      return known;
    }
    int n = to - from;
    byte[] hash;
    if (n == 0) {
      hash = sha256();
    } else if (n == 1) {
      hash = sha256(new byte[] {0x00}, d.get(from).toArray());
    } else {
      int k = largestPowerOfTwoBelow(n);
      hash = sha256(new byte[] {0x01}, mth(from, from + k), mth(from + k, to));
    }
    remembered.put(new SubList(from, to), hash);
    return hash;
  }

  private void path(int m, int from, int to, List<Digest> result) {
    int n = to - from;
    if (n == 1) {
      return;
    }
    int k = largestPowerOfTwoBelow(n);
    if (m < k) {
      path(m, from, from + k, result);
      result.add(Digest.of(mth(from + k, to)));
    } else {
      path(m - k, from + k, to, result);
      result.add(Digest.of(mth(from, from + k)));
    }
  }

  private void subproof(int m, int from, int to, boolean b, List<Digest> result) {
    int n = to - from;
    if (m == n) {
      if (!b) {
        result.add(Digest.of(mth(from, to)));
      }
      return;
    }
    int k = largestPowerOfTwoBelow(n);
    if (m <= k) {
      subproof(m, from, from + k, b, result);
      result.add(Digest.of(mth(from + k, to)));
    } else {
      subproof(m - k, from + k, to, false, result);
      result.add(Digest.of(mth(from, from + k)));
    }
  }

  private void outside(int from, int to, int first, int end, List<Digest> result) {
    boolean complete = Integer.bitCount(to - from) == 1;
    boolean touches = from < end && first < to;
    if (complete && !touches) {
      result.add(Digest.of(mth(from, to)));
    } else if (to - from > 1) {
      int k = largestPowerOfTwoBelow(to - from);
      outside(from, from + k, first, end, result);
      outside(from + k, to, first, end, result);
    }
  }

  /// The largest power of two smaller than n, for n above 1.
  private static int largestPowerOfTwoBelow(int n) {
    int k = 1;
    while (2 * k < n) {
      k *= 2;
    }
    return k;
  }

  private static byte[] sha256(byte[]... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) {
        digest.update(part);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
