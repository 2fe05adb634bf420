package io.tallystick.removal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/// The state of a log at the seal up to which a purge goes, so that the log can go on without what
/// is below: `[15, GenesisParams bstr, strand, firstKept, height, seal leaf bstr, [frontier hash…],
/// [[leaf bstr, attestation bstr, [path hash…]]…], windowCount, window root, [affected kid…],
/// [absent kid…]]`. Who signs a purge makes it from the log first. Source:
/// `docs/formats/removal.md`.
///
/// @param firstKept the lowest jsn that stays; the size of the tree that the seal closes
/// @param height of the seal
/// @param seal the encoded leaf `firstKept` − 1
/// @param frontier the roots of the complete subtrees of the tree of size `firstKept` − 1, largest
///   first: one for each bit of that size
/// @param kept ascending by jsn: genesis, all journals of kind 16 and above but 20, and the last of
///   kind 20
/// @param windowCount of the signatures that could be used again after the seal
/// @param windowRoot over their entries, ascending
/// @param affected the kids of those who must sign, ascending
/// @param absent those of them in whose place a regulator signs, ascending
public record Snapshot(
    Bytes genesisParams,
    int strand,
    Jsn firstKept,
    long height,
    Bytes seal,
    List<Digest> frontier,
    List<Kept> kept,
    long windowCount,
    Digest windowRoot,
    List<Digest> affected,
    List<Digest> absent) {
  public static final int BYTES_MAX = 64 << 20;
  public static final int KEPT_MAX = 1 << 16;
  public static final int AFFECTED_MAX = 1 << 16;

  /// Bytes of a window entry: 16 bytes of the signature id, jsn and expiry.
  public static final int WINDOW_ENTRY_BYTES = 32;

  private static final int TYPE = 15;
  private static final int ITEMS = 12;
  private static final int PATH_MAX = 63;
  private static final byte[] DOMAIN =
      "tallystick/snapshot/1\0".getBytes(StandardCharsets.US_ASCII);

  /// A leaf below `firstKept` that stays readable.
  ///
  /// @param path its inclusion path in the tree of size `firstKept`, from the leaf up
  public record Kept(Bytes leaf, Bytes attestation, List<Digest> path) {
    public Kept {
      path = List.copyOf(path);
    }
  }

  public Snapshot {
    frontier = List.copyOf(frontier);
    kept = List.copyOf(kept);
    affected = List.copyOf(affected);
    absent = List.copyOf(absent);
    // A block has a journal and a seal at least.
    if (strand < 0 || height < 1 || height > (firstKept.value() - 2) / 2) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "snapshot of strand %d at block %d, with %s the first kept",
              strand,
              height,
              firstKept));
    }
    int hashes = Long.bitCount(firstKept.value() - 1);
    if (frontier.size() != hashes) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "frontier of %d hashes, want %d", frontier.size(), hashes));
    }
    if (kept.isEmpty() || kept.size() > KEPT_MAX) {
      throw new IllegalArgumentException(kept.size() + " journals kept, want 1 to " + KEPT_MAX);
    }
    if (windowCount < 0 || windowCount > Limits.OPEN_SIGNATURES_MAX) {
      throw new IllegalArgumentException("window of " + windowCount + " signatures");
    }
    if ((windowCount == 0) != windowRoot.equals(TreeHasher.EMPTY_ROOT)) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "window of %d signatures with root %s", windowCount, windowRoot));
    }
    ascending("affected", affected);
    ascending("absent", absent);
    if (!new HashSet<>(affected).containsAll(absent)) {
      throw new IllegalArgumentException("absent is who is not affected");
    }
  }

  private static void ascending(String name, List<Digest> kids) {
    if (kids.size() > AFFECTED_MAX) {
      throw new IllegalArgumentException(kids.size() + " kids " + name);
    }
    for (int i = 1; i < kids.size(); i++) {
      if (kids.get(i - 1).compareTo(kids.get(i)) >= 0) {
        throw new IllegalArgumentException(name + " kid " + i + " is not above the one before");
      }
    }
  }

  /// The same with other members absent.
  ///
  /// @throws IllegalArgumentException if one is not affected
  public Snapshot withAbsent(Collection<Digest> others) {
    return new Snapshot(
        genesisParams,
        strand,
        firstKept,
        height,
        seal,
        frontier,
        kept,
        windowCount,
        windowRoot,
        affected,
        others.stream().sorted().toList());
  }

  /// The same with other members affected, and nobody absent.
  public Snapshot withAffected(Collection<Digest> others) {
    return new Snapshot(
        genesisParams,
        strand,
        firstKept,
        height,
        seal,
        frontier,
        kept,
        windowCount,
        windowRoot,
        others.stream().sorted().toList(),
        List.of());
  }

  /// The digest by which a purge's header names it.
  public Digest digest() {
    return digest(encode());
  }

  static Digest digest(Bytes encoded) {
    return Sha256.hash(DOMAIN, encoded.unsafeArray());
  }

  /// The root that a window's entries have.
  ///
  /// @param entries of 32 bytes, ascending
  public static Digest windowRoot(List<Bytes> entries) {
    return TreeHasher.rootOverData(entries);
  }

  /// The root of the tree of size `firstKept` − 1, which the seal must state.
  Digest journalRoot() {
    return TreeHasher.foldRight(frontier);
  }

  /// The root of the tree of size `firstKept`, the seal being its last leaf.
  Digest root() {
    List<Digest> subtrees = new ArrayList<>(frontier);
    Digest last = Leaf.hash(seal);
    for (long size = firstKept.value() - 1; (size & 1) == 1; size >>= 1) {
      last = TreeHasher.nodeHash(subtrees.removeLast(), last);
    }
    subtrees.add(last);
    return TreeHasher.foldRight(subtrees);
  }

  SealLeaf sealLeaf() throws MalformedException {
    if (!(Leaf.decode(seal) instanceof SealLeaf leaf)) {
      throw new MalformedException("the snapshot's seal is another leaf");
    }
    return leaf;
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(4096 + 2048 * kept.size()).array(ITEMS).uint(TYPE);
    out.bytes(genesisParams).uint(strand).uint(firstKept.value()).uint(height).bytes(seal);
    write(out, frontier);
    out.array(kept.size());
    for (Kept each : kept) {
      out.array(3).bytes(each.leaf).bytes(each.attestation);
      write(out, each.path);
    }
    out.uint(windowCount).digest(windowRoot);
    write(out, affected);
    write(out, absent);
    return out.toBytes();
  }

  private static void write(CborWriter out, List<Digest> hashes) {
    out.array(hashes.size());
    hashes.forEach(out::digest);
  }

  public static Snapshot decode(Bytes encoded) throws MalformedException {
    if (encoded.size() > BYTES_MAX) {
      throw new MalformedException(
          "snapshot of " + encoded.size() + " bytes, at most " + BYTES_MAX);
    }
    CborReader in = new CborReader(encoded);
    in.array("snapshot", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no snapshot, want " + TYPE);
    }
    Bytes params = Bytes.wrap(in.bytes("GenesisParams", Limits.LEAF_BYTES_MAX));
    int strand = (int) in.uint("strand", Integer.MAX_VALUE);
    Jsn firstKept = new Jsn(in.uint());
    long height = in.uint();
    Bytes seal = Bytes.wrap(in.bytes("seal", Limits.LEAF_BYTES_MAX));
    List<Digest> frontier = digests(in, "frontier", PATH_MAX);
    List<Kept> kept = kept(in);
    long windowCount = in.uint();
    Digest windowRoot = in.digest();
    List<Digest> affected = digests(in, "affected", AFFECTED_MAX);
    List<Digest> absent = digests(in, "absent", AFFECTED_MAX);
    in.end();
    try {
      return new Snapshot(
          params,
          strand,
          firstKept,
          height,
          seal,
          frontier,
          kept,
          windowCount,
          windowRoot,
          affected,
          absent);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()), e);
    }
  }

  private static List<Kept> kept(CborReader in) throws MalformedException {
    int count = in.arrayAtMost("journals kept", KEPT_MAX);
    List<Kept> kept = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("journal kept", 3);
      Bytes leaf = Bytes.wrap(in.bytes("leaf", Limits.LEAF_BYTES_MAX));
      Bytes attestation = Bytes.wrap(in.bytes("attestation", Limits.ATTESTATION_BYTES_MAX));
      kept.add(new Kept(leaf, attestation, digests(in, "path", PATH_MAX)));
    }
    return kept;
  }

  private static List<Digest> digests(CborReader in, String name, int max)
      throws MalformedException {
    int count = in.arrayAtMost(name, max);
    List<Digest> digests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      digests.add(in.digest());
    }
    return digests;
  }
}
