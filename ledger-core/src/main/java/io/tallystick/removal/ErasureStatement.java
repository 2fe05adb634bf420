package io.tallystick.removal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ErasureProtected;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.ServiceKeys.Term;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.List;
import java.util.Locale;

/// The service's word that what a removal names is erased from its disk: `[17, removal jsn, leaf
/// hash, doneMs, first, count]`, the payload of a COSE_Sign1. Nothing proves it. Source:
/// `docs/formats/removal.md`.
///
/// @param removal the journal of kind 21 or 22
/// @param doneMs the service's clock after the last byte was gone and forced
/// @param first the lowest jsn that was erased
/// @param count of the journals whose bodies an occult erased, or of the leaves below a purge's
///   first kept one that were not purged before
public record ErasureStatement(
    StrandId strand, JournalRef removal, long doneMs, Jsn first, long count) {
  private static final int TYPE = 17;
  private static final int ITEMS = 6;

  public ErasureStatement {
    if (doneMs < 0 || doneMs > Limits.TIME_MS_MAX) {
      throw new IllegalArgumentException("doneMs " + doneMs + " is out of range");
    }
    if (count < 1 || count > TreeGeometry.SIZE_MAX) {
      throw new IllegalArgumentException(count + " journals erased, want 1 to 2^62");
    }
    if (first.compareTo(removal.jsn()) >= 0) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "erased from %s on by removal %s", first, removal.jsn()));
    }
  }

  /// @param signer holds the service's receipt key
  public Bytes sign(Signer signer) {
    PublicKey key = signer.publicKey();
    ProtectedHeader header = new ErasureProtected(key.algorithm(), key.kid(), strand);
    return CoseSign1.attached(signer, header, payload()).encode();
  }

  private Bytes payload() {
    return new CborWriter(80)
        .array(ITEMS)
        .uint(TYPE)
        .uint(removal.jsn().value())
        .digest(removal.leafHash())
        .uint(doneMs)
        .uint(first.value())
        .uint(count)
        .toBytes();
  }

  /// Verifies it by the receipt key that signed heads which hold the removal: the one valid for
  /// size jsn + 2, or a later one, because the service may have rotated before it was done.
  ///
  /// @param strand of the removal's log
  public static ErasureStatement verify(
      Bytes encoded, StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    try {
      CoseSign1 message = CoseSign1.decode(encoded);
      ErasureProtected header =
          ProtectedHeader.decode(message.protectedHeader(), ErasureProtected.class);
      if (!header.strand().equals(strand)) {
        throw new ProofRejectedException(
            Reason.WRONG_LEDGER, "erasure is for " + header.strand() + ", want " + strand);
      }
      Bytes payload = message.payload();
      if (payload == null || message.inclusionProof() != null) {
        throw new ProofRejectedException(
            Reason.MALFORMED, "erasure with a detached payload or an unprotected header");
      }
      ErasureStatement statement = decode(payload, strand);
      PublicKey key = key(header.kid(), statement.removal.jsn(), keys);
      message.verify(header, payload, key, signatures);
      return statement;
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "erasure: " + e.getMessage(), e);
    }
  }

  private static ErasureStatement decode(Bytes payload, StrandId strand) throws MalformedException {
    CborReader in = new CborReader(payload);
    in.array("erasure statement", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no erasure statement, want " + TYPE);
    }
    JournalRef removal = new JournalRef(new Jsn(in.uint()), in.digest());
    long doneMs = in.uint();
    Jsn first = new Jsn(in.uint());
    long count = in.uint();
    in.end();
    try {
      return new ErasureStatement(strand, removal, doneMs, first, count);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()), e);
    }
  }

  private static PublicKey key(Digest kid, Jsn removal, ServiceKeys keys)
      throws ProofRejectedException {
    List<Term> terms = keys.terms();
    for (int i = 0; i < terms.size(); i++) {
      boolean over = i + 1 < terms.size() && terms.get(i + 1).above().value() < removal.value() + 2;
      if (!over && terms.get(i).receiptKey().kid().equals(kid)) {
        return terms.get(i).receiptKey();
      }
    }
    throw new ProofRejectedException(
        Reason.WRONG_KEY,
        String.format(
            Locale.ROOT, "erasure by key %s, which signs no head with removal %s", kid, removal));
  }
}
