package io.tallystick.lineage;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.head.LastSeal;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Limits;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.merkle.patricia.ClueRoot;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Shows how many journals of a log name a clue, and the root of the clue's own tree, or that no
/// journal does: `[11, seal bstr, [path…], [trie node bstr…]]`. It names neither clue nor head; the
/// verifier knows both. Source: `docs/formats/lineage.md`.
///
/// @param seal the log's last leaf under the head
/// @param path that it is, as an inclusion proof of index size − 1
/// @param trie the clue in the trie whose root is the seal's
public record ClueProof(Bytes seal, List<Digest> path, TrieProof trie) {
  private static final int TYPE = 11;
  private static final int ITEMS = 4;

  public ClueProof {
    path = List.copyOf(path);
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(2048);
    encodeInto(out);
    return out.toBytes();
  }

  void encodeInto(CborWriter out) {
    out.array(ITEMS).uint(TYPE).bytes(seal).array(path.size());
    path.forEach(out::digest);
    out.array(trie.nodes().size());
    trie.nodes().forEach(out::bytes);
  }

  public static ClueProof decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    ClueProof proof = decode(in);
    in.end();
    return proof;
  }

  static ClueProof decode(CborReader in) throws MalformedException {
    in.array("clue proof", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no clue proof, want " + TYPE);
    }
    Bytes seal = Bytes.wrap(in.bytes("seal", Limits.LEAF_BYTES_MAX));
    List<Digest> path = hashes(in, "path", TreeGeometry.PATH_HASHES_MAX);
    int count = in.arrayAtMost("trie nodes", TrieProof.NODES_MAX);
    List<Bytes> nodes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      nodes.add(Bytes.wrap(in.bytes("trie node", TrieProof.NODE_BYTES_MAX)));
    }
    return new ClueProof(seal, path, new TrieProof(nodes));
  }

  /// Whether `encoded` says it is a clue proof.
  static boolean isOne(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array();
    return in.uint() == TYPE;
  }

  static List<Digest> hashes(CborReader in, String name, int max) throws MalformedException {
    int count = in.arrayAtMost(name, max);
    List<Digest> hashes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      hashes.add(in.digest());
    }
    return hashes;
  }

  /// @param head a trusted one
  public ClueState verify(Digest clueId, SignedHead head) throws ProofRejectedException {
    SealLeaf last = new LastSeal(seal, path).verify(head);
    // The root comes from this seal alone: from no other place would it be under the head.
    Optional<ClueValue> value = trie.verify(clueId, new ClueRoot(last.clueRoot()));
    if (value.isEmpty()) {
      return new ClueState.NeverUsed(clueId, head.size());
    }
    checkFits(value.get(), last.jsn().value());
    return new ClueState.Used(clueId, head.size(), value.get());
  }

  /// Each of the clue's journals is a leaf before the seal.
  private static void checkFits(ClueValue value, long sealJsn) throws ProofRejectedException {
    if (value.count() >= sealJsn) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, value.count() + " journals before seal " + sealJsn);
    }
    if (value.deletedJsn() >= sealJsn) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN, "deleted by " + value.deletedJsn() + " before seal " + sealJsn);
    }
  }
}
