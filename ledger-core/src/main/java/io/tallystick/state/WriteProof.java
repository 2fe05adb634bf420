package io.tallystick.state;

import io.tallystick.head.SignedHead;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Op;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.Locale;

/// The evidence that a journal of a log wrote a key: its leaf under a head, one of its operations
/// under the root in its header, and the seal of its block under the same head. That the signatures
/// over it are members', and that its preconditions held, an audit finds. Source:
/// `docs/formats/forest.md`.
///
/// @param leaf of the journal, encoded
/// @param inclusion of the leaf in the log
/// @param op the operation, encoded
/// @param inOps of the operation among those of the journal
/// @param seal of the journal's block, encoded
/// @param sealInclusion of the seal in the log
public record WriteProof(
    Bytes leaf,
    InclusionProof inclusion,
    Bytes op,
    InclusionProof inOps,
    Bytes seal,
    InclusionProof sealInclusion) {

  /// @param key the one that was asked for
  /// @param head a trusted one; both leaves are proven in its tree
  public KeyWrite verify(Bytes key, SignedHead head) throws ProofRejectedException {
    return verify(key, head.strand(), head.size().value(), head.root());
  }

  /// The same for whoever knows the root of a tree otherwise.
  public KeyWrite verify(Bytes key, StrandId strand, long size, JournalRoot root)
      throws ProofRejectedException {
    if (!(decoded(leaf) instanceof JournalLeaf journal)) {
      throw new ProofRejectedException(Reason.WRONG_TYPE, "the leaf of a write is no journal");
    }
    if (!(decoded(seal) instanceof SealLeaf last)) {
      throw new ProofRejectedException(Reason.WRONG_TYPE, "the seal of a write is no seal");
    }
    checkPlace(inclusion, journal, size);
    checkPlace(sealInclusion, last, size);
    inclusion.verify(TreeHasher.leafHash(leaf), root);
    sealInclusion.verify(TreeHasher.leafHash(seal), root);
    if (last.firstJsn().compareTo(journal.jsn()) > 0 || journal.jsn().compareTo(last.jsn()) >= 0) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT,
              "journal %s is not in block %d of leaves %s to %s",
              journal.jsn(),
              last.height(),
              last.firstJsn(),
              last.jsn()));
    }
    return new KeyWrite(journal, operation(key, journal, strand), last);
  }

  /// About as many bytes as it has on the wire.
  public int byteCount() {
    int hashes = inclusion.path().size() + inOps.path().size() + sealInclusion.path().size();
    return leaf.size() + op.size() + seal.size() + hashes * Digest.BYTES;
  }

  private static Leaf decoded(Bytes encoded) throws ProofRejectedException {
    try {
      return Leaf.decode(encoded);
    } catch (MalformedException e) {
      throw malformed(e);
    }
  }

  private static ProofRejectedException malformed(MalformedException cause) {
    return new ProofRejectedException(
        Reason.MALFORMED, "proof of a write: " + cause.getMessage(), cause);
  }

  private static void checkPlace(InclusionProof proof, Leaf leaf, long size)
      throws ProofRejectedException {
    if (proof.index() != leaf.jsn().value() || proof.size() != size) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT,
              "proof for %d of %d, want %s of %d",
              proof.index(),
              proof.size(),
              leaf.jsn(),
              size));
    }
  }

  private Op operation(Bytes key, JournalLeaf journal, StrandId strand)
      throws ProofRejectedException {
    RequestHeader header;
    Op written;
    try {
      header = RequestHeader.decode(journal.header());
      written = Op.decode(op);
    } catch (MalformedException e) {
      throw malformed(e);
    }
    if (!header.strand().equals(strand)) {
      throw new ProofRejectedException(Reason.WRONG_LEDGER, header.strand() + ", want " + strand);
    }
    OpsRoot root = header.opsRoot();
    if (root == null || inOps.size() != header.opsCount()) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE,
          String.format(
              Locale.ROOT,
              "operation of %d, journal %s has %d",
              inOps.size(),
              journal.jsn(),
              header.opsCount()));
    }
    if (!new OpsRoot(inOps.rootFrom(TreeHasher.leafHash(op))).equals(root)) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH, "the operation is none of journal " + journal.jsn());
    }
    if (!written.key().equals(key)) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY, "operation on " + written.key() + ", want " + key);
    }
    return written;
  }
}
