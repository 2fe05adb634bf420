package io.tallystick.testkit.patricia;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.bouncycastle.crypto.digests.KeccakDigest;

/// Ethereum's Merkle Patricia trie by its recursive definition (Yellow Paper, appendix D): a
/// function of the set of pairs, computed from the sorted set alone, so it knows neither insertion
/// nor deletion in a tree. It takes keys of any length, values at branches and nodes embedded in
/// their parents. Shares nothing with the code under test but the value types; its Keccak-256 is
/// Bouncy Castle's. Not thread-safe.
public final class ReferenceTrie {
  private static final int HASH_BYTES = 32;
  private static final int RADIX = 16;

  /// One pair, its key as nibbles.
  private record Pair(String nibbles, Bytes value) {}

  /// The pairs `[from, to)` of the sorted set, which agree in their first `depth` nibbles.
  private record Part(int from, int to, int depth) {}

  private final NavigableMap<Bytes, Bytes> pairs = new TreeMap<>();
  private final Map<Part, byte[]> remembered = new HashMap<>();
  private List<Pair> sorted = List.of();
  private boolean stale;

  /// Sets the value of a key; an empty value deletes it, as Ethereum has it.
  public void put(byte[] key, byte[] value) {
    if (value.length == 0) {
      delete(key);
      return;
    }
    pairs.put(Bytes.copyOf(key), Bytes.copyOf(value));
    stale = true;
  }

  /// Removes a key; nothing happens if it is not there.
  public void delete(byte[] key) {
    pairs.remove(Bytes.copyOf(key));
    stale = true;
  }

  public Optional<Bytes> get(byte[] key) {
    return Optional.ofNullable(pairs.get(Bytes.copyOf(key)));
  }

  public int size() {
    return pairs.size();
  }

  /// The largest key below `key`.
  public Optional<Bytes> keyBefore(byte[] key) {
    return Optional.ofNullable(pairs.lowerKey(Bytes.copyOf(key)));
  }

  /// The smallest key above `key`.
  public Optional<Bytes> keyAfter(byte[] key) {
    return Optional.ofNullable(pairs.higherKey(Bytes.copyOf(key)));
  }

  /// TRIE(I): the hash of the root node, whatever its length.
  public Digest root() {
    refresh();
    return Digest.of(keccak(sorted.isEmpty() ? rlp(new byte[0]) : node(whole())));
  }

  /// The encodings of the nodes on the way of `key`, from the root to where the way ends: at its
  /// value, or where there is none. Nodes embedded in their parent are not repeated. Empty for the
  /// empty trie.
  public List<Bytes> proof(byte[] key) {
    refresh();
    List<Bytes> proof = new ArrayList<>();
    if (!sorted.isEmpty()) {
      follow(nibbles(Bytes.copyOf(key)), whole(), proof);
    }
    return proof;
  }

  private void follow(String key, Part part, List<Bytes> proof) {
    byte[] node = node(part);
    if (proof.isEmpty() || node.length >= HASH_BYTES) {
      proof.add(Bytes.copyOf(node));
    }
    int shared = sharedDepth(part);
    if (part.to - part.from == 1 || !key.startsWith(prefix(part, shared))) {
      return;
    }
    if (shared > part.depth) {
      follow(key, new Part(part.from, part.to, shared), proof);
    } else if (key.length() > part.depth) {
      Part child = child(part, key.charAt(part.depth));
      if (child.from < child.to) {
        follow(key, child, proof);
      }
    }
  }

  /// c(J, i): the encoding of the node of a part that is not empty.
  private byte[] node(Part part) {
    byte[] known = remembered.get(part);
    if (known != null) {
      return known;
    }
    int shared = sharedDepth(part);
    byte[] made;
    if (part.to - part.from == 1) {
      Pair pair = sorted.get(part.from);
      made = list(rlp(hexPrefix(pair.nibbles.substring(part.depth), true)), rlp(pair.value));
    } else if (shared > part.depth) {
      String between = prefix(part, shared).substring(part.depth);
      made = list(rlp(hexPrefix(between, false)), reference(new Part(part.from, part.to, shared)));
    } else {
      made = branch(part);
    }
    remembered.put(part, made);
    return made;
  }

  private byte[] branch(Part part) {
    byte[][] items = new byte[RADIX + 1][];
    for (int nibble = 0; nibble < RADIX; nibble++) {
      Part child = child(part, Character.forDigit(nibble, RADIX));
      items[nibble] = child.from < child.to ? reference(child) : rlp(new byte[0]);
    }
    Pair first = sorted.get(part.from);
    boolean endsHere = first.nibbles.length() == part.depth;
    items[RADIX] = rlp(endsHere ? first.value : Bytes.EMPTY);
    return list(items);
  }

  /// n(J, i): a node shorter than a hash stands in its parent itself.
  private byte[] reference(Part part) {
    byte[] node = node(part);
    return node.length < HASH_BYTES ? node : rlp(keccak(node));
  }

  private Part whole() {
    return new Part(0, sorted.size(), 0);
  }

  /// How many nibbles all keys of a part have in common.
  private int sharedDepth(Part part) {
    String first = sorted.get(part.from).nibbles;
    String last = sorted.get(part.to - 1).nibbles;
    int depth = part.depth;
    while (depth < Math.min(first.length(), last.length())
        && first.charAt(depth) == last.charAt(depth)) {
      depth++;
    }
    return depth;
  }

  private String prefix(Part part, int depth) {
    return sorted.get(part.from).nibbles.substring(0, depth);
  }

  /// The pairs of a part that go on with `nibble`; perhaps none.
  private Part child(Part part, char nibble) {
    int from = part.from;
    while (from < part.to && nibbleAt(from, part.depth) < nibble) {
      from++;
    }
    int to = from;
    while (to < part.to && nibbleAt(to, part.depth) == nibble) {
      to++;
    }
    return new Part(from, to, part.depth + 1);
  }

  /// 0, which is below every digit, for a key that ends there.
  private char nibbleAt(int index, int depth) {
    String nibbles = sorted.get(index).nibbles;
    return depth < nibbles.length() ? nibbles.charAt(depth) : 0;
  }

  private void refresh() {
    if (stale) {
      remembered.clear();
      sorted =
          pairs.entrySet().stream()
              .map(pair -> new Pair(nibbles(pair.getKey()), pair.getValue()))
              .toList();
      stale = false;
    }
  }

  private static String nibbles(Bytes key) {
    return key.hex();
  }

  /// HP(x, t), Yellow Paper appendix C.
  private static byte[] hexPrefix(String nibbles, boolean leaf) {
    int flag = leaf ? 2 : 0;
    boolean odd = nibbles.length() % 2 == 1;
    String padded = odd ? "" + (flag + 1) + nibbles : flag + "0" + nibbles;
    return Bytes.fromHex(padded).toArray();
  }

  private static byte[] rlp(Bytes value) {
    return rlp(value.toArray());
  }

  /// R_b(x), Yellow Paper appendix B.
  private static byte[] rlp(byte[] value) {
    if (value.length == 1 && value[0] >= 0) {
      return value;
    }
    return concat(head(0x80, value.length), value);
  }

  /// R_l(x) of items that are encoded already.
  private static byte[] list(byte[]... items) {
    byte[] all = concat(items);
    return concat(head(0xc0, all.length), all);
  }

  private static byte[] head(int base, int length) {
    if (length < 56) {
      return new byte[] {(byte) (base + length)};
    }
    byte[] bigEndian = Bytes.fromHex(evenHex(length)).toArray();
    return concat(new byte[] {(byte) (base + 55 + bigEndian.length)}, bigEndian);
  }

  private static String evenHex(int value) {
    String hex = Integer.toHexString(value);
    return hex.length() % 2 == 0 ? hex : "0" + hex;
  }

  private static byte[] concat(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] all = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }

  private static byte[] keccak(byte[] message) {
    KeccakDigest digest = new KeccakDigest(8 * HASH_BYTES);
    digest.update(message, 0, message.length);
    byte[] hash = new byte[HASH_BYTES];
    digest.doFinal(hash, 0);
    return hash;
  }
}
