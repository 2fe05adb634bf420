package io.tallystick.evidence;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.AnchorProtected;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.KeyLookup;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;

/// A head that somebody has verified and signs for others to start from: `[20, size, root]`, the
/// payload of a COSE_Sign1. It is a hint: who uses it joins it to a head of the service's by a
/// consistency proof. Source: `docs/formats/people-and-time.md`.
public record Anchor(StrandId strand, TreeSize size, JournalRoot root) {
  private static final int TYPE = 20;
  private static final int ITEMS = 3;

  public Anchor {
    if (size.value() < 1 || size.value() > TreeGeometry.SIZE_MAX) {
      throw new IllegalArgumentException("anchor of size " + size + ", want 1 to 2^62");
    }
  }

  /// @param kid of the key that signed
  public record Signed(Anchor anchor, Digest kid) {}

  public Bytes sign(Signer signer) {
    PublicKey key = signer.publicKey();
    ProtectedHeader header = new AnchorProtected(key.algorithm(), key.kid(), strand);
    return CoseSign1.attached(signer, header, payload()).encode();
  }

  private Bytes payload() {
    return new CborWriter(48)
        .array(ITEMS)
        .uint(TYPE)
        .uint(size.value())
        .digest(root.digest())
        .toBytes();
  }

  /// @param keys of those whose anchors are wanted
  public static Signed verify(Bytes encoded, StrandId strand, KeyLookup keys, Signatures signatures)
      throws ProofRejectedException {
    Opened opened = open(encoded, strand);
    Digest kid = opened.header.kid();
    PublicKey key =
        keys.find(kid)
            .orElseThrow(() ->
                new ProofRejectedException(Reason.NOT_A_MEMBER, "anchor of an unknown key " + kid));
    opened.message.verify(opened.header, opened.payload, key, signatures);
    return new Signed(opened.anchor, kid);
  }

  /// Reads an anchor without a look at its signature: for one that was verified before.
  public static Signed decode(Bytes encoded, StrandId strand) throws ProofRejectedException {
    Opened opened = open(encoded, strand);
    return new Signed(opened.anchor, opened.header.kid());
  }

  private record Opened(CoseSign1 message, AnchorProtected header, Bytes payload, Anchor anchor) {}

  private static Opened open(Bytes encoded, StrandId strand) throws ProofRejectedException {
    CoseSign1 message = message(encoded);
    AnchorProtected header =
        ProtectedHeader.decode(message.protectedHeader(), AnchorProtected.class);
    if (!header.strand().equals(strand)) {
      throw new ProofRejectedException(
          Reason.WRONG_LEDGER, "anchor is for " + header.strand() + ", want " + strand);
    }
    Bytes payload = message.payload();
    if (payload == null || message.inclusionProof() != null) {
      throw new ProofRejectedException(
          Reason.MALFORMED, "anchor with a detached payload or an unprotected header");
    }
    return new Opened(message, header, payload, anchor(payload, strand));
  }

  private static CoseSign1 message(Bytes encoded) throws ProofRejectedException {
    try {
      return CoseSign1.decode(encoded);
    } catch (MalformedException e) {
      throw malformed(e);
    }
  }

  private static Anchor anchor(Bytes payload, StrandId strand) throws ProofRejectedException {
    try {
      CborReader in = new CborReader(payload);
      in.array("anchor", ITEMS);
      long type = in.uint();
      if (type != TYPE) {
        throw new MalformedException("type " + type + " is no anchor, want " + TYPE);
      }
      long size = in.uint();
      JournalRoot root = new JournalRoot(in.digest());
      in.end();
      if (size < 1 || size > TreeGeometry.SIZE_MAX) {
        throw new ProofRejectedException(
            Reason.SIZE_OUT_OF_RANGE, "anchor of size " + size + ", want 1 to 2^62");
      }
      return new Anchor(strand, new TreeSize(size), root);
    } catch (MalformedException e) {
      throw malformed(e);
    }
  }

  private static ProofRejectedException malformed(MalformedException e) {
    return new ProofRejectedException(Reason.MALFORMED, "anchor: " + e.getMessage(), e);
  }
}
