package io.tallystick.cose;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import org.jspecify.annotations.Nullable;

/// A tagged COSE_Sign1 (RFC 9052 section 4.2) in the only shape the ledger knows: the unprotected
/// header is empty or holds exactly one inclusion proof, `{396: {-1: [bstr]}}` (RFC 9942).
///
/// @param protectedHeader the CBOR map as it was signed; {@link ProtectedHeader#decode} reads it
/// @param inclusionProof the one proof, null if the unprotected header is empty
/// @param payload null if detached
public record CoseSign1(
    Bytes protectedHeader,
    @Nullable Bytes inclusionProof,
    @Nullable Bytes payload,
    Bytes signature) {
  public static final int SIGNATURE_BYTES = 64;
  public static final int PROTECTED_BYTES_MAX = 1024;

  /// 63 hashes of a path, its size and its index.
  public static final int INCLUSION_PROOF_BYTES_MAX = 63 * 34 + 22;

  /// GenesisParams is the largest payload; it must fit a leaf.
  public static final int PAYLOAD_BYTES_MAX = 16 * 1024;

  private static final int TAG = 18;
  private static final long VERIFIABLE_PROOFS = 396;
  private static final long INCLUSION = -1;

  public CoseSign1 {
    atMost("protected header", protectedHeader, PROTECTED_BYTES_MAX);
    atMost("inclusion proof", inclusionProof, INCLUSION_PROOF_BYTES_MAX);
    atMost("payload", payload, PAYLOAD_BYTES_MAX);
    if (signature.size() != SIGNATURE_BYTES) {
      throw new IllegalArgumentException(
          "signature of " + signature.size() + " bytes, want " + SIGNATURE_BYTES);
    }
  }

  /// Signs `payload` and attaches it.
  public static CoseSign1 attached(Signer signer, ProtectedHeader header, Bytes payload) {
    Bytes encoded = header.encode();
    Bytes signature = Bytes.wrap(signer.sign(toBeSigned(encoded, payload)));
    return new CoseSign1(encoded, null, payload, signature);
  }

  /// Signs `payload` and leaves it out.
  public static CoseSign1 detached(Signer signer, ProtectedHeader header, Bytes payload) {
    CoseSign1 attached = attached(signer, header, payload);
    return new CoseSign1(attached.protectedHeader, null, null, attached.signature);
  }

  /// The same signature with its inclusion proof beside it; the proof is not signed.
  public CoseSign1 withInclusionProof(Bytes proof) {
    return new CoseSign1(protectedHeader, proof, payload, signature);
  }

  public static CoseSign1 decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    CoseSign1 message = decode(in);
    in.end();
    return message;
  }

  /// Reads one message and leaves `in` behind it.
  public static CoseSign1 decode(CborReader in) throws MalformedException {
    in.tag(TAG);
    in.array("COSE_Sign1", 4);
    Bytes protectedHeader = Bytes.wrap(in.bytes("protected header", PROTECTED_BYTES_MAX));
    Bytes inclusionProof = decodeUnprotected(in);
    Bytes payload = in.nil() ? null : Bytes.wrap(in.bytes("payload", PAYLOAD_BYTES_MAX));
    Bytes signature = Bytes.wrap(in.bytes("signature", SIGNATURE_BYTES));
    if (signature.size() != SIGNATURE_BYTES) {
      throw new MalformedException(
          "signature of " + signature.size() + " bytes, want " + SIGNATURE_BYTES);
    }
    return new CoseSign1(protectedHeader, inclusionProof, payload, signature);
  }

  private static @Nullable Bytes decodeUnprotected(CborReader in) throws MalformedException {
    int pairs = in.map();
    if (pairs == 0) {
      return null;
    }
    if (pairs != 1) {
      throw new MalformedException("unprotected header has " + pairs + " labels, at most 1");
    }
    in.key(VERIFIABLE_PROOFS);
    in.map("verifiable proofs", 1);
    in.key(INCLUSION);
    in.array("inclusion proofs", 1);
    return Bytes.wrap(in.bytes("inclusion proof", INCLUSION_PROOF_BYTES_MAX));
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(512);
    encodeInto(out);
    return out.toBytes();
  }

  public void encodeInto(CborWriter out) {
    out.tag(TAG).array(4).bytes(protectedHeader);
    if (inclusionProof == null) {
      out.map(0);
    } else {
      out.map(1).integer(VERIFIABLE_PROOFS).map(1).integer(INCLUSION).array(1);
      out.bytes(inclusionProof);
    }
    if (payload == null) {
      out.nil();
    } else {
      out.bytes(payload);
    }
    out.bytes(signature);
  }

  /// The Sig_structure of RFC 9052 section 4.4 with empty external_aad: what is really signed.
  ///
  /// @param signedPayload the payload, attached or not
  public byte[] sigStructure(Bytes signedPayload) {
    return toBeSigned(protectedHeader, signedPayload);
  }

  /// SHA-256 of the Sig_structure: what replay is judged by. The received bytes would not do,
  /// because an ES256 signature can be flipped into another valid one.
  public Digest signatureId(Bytes signedPayload) {
    return Sha256.hash(sigStructure(signedPayload));
  }

  /// Checks the signature by a key that someone else vouches for.
  ///
  /// @param header this message's header, decoded
  /// @throws ProofRejectedException with `WRONG_KEY` if kid or alg are not the key's, or
  ///   `BAD_SIGNATURE`
  public void verify(
      ProtectedHeader header, Bytes signedPayload, PublicKey key, Signatures signatures)
      throws ProofRejectedException {
    verifyStructure(header, sigStructure(signedPayload), key, signatures);
  }

  /// The same for a caller that needs the {@link #sigStructure}, too.
  public void verifyStructure(
      ProtectedHeader header, byte[] structure, PublicKey key, Signatures signatures)
      throws ProofRejectedException {
    if (!key.kid().equals(header.kid())) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY, "kid is " + header.kid() + ", the key's is " + key.kid());
    }
    if (key.algorithm() != header.algorithm()) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY, "alg is " + header.algorithm() + ", the key is " + key.algorithm());
    }
    signatures.verify(key, structure, signature.unsafeArray());
  }

  private static byte[] toBeSigned(Bytes protectedHeader, Bytes payload) {
    int head = CborWriter.headBytes(protectedHeader.size());
    int bytes = 13 + head + protectedHeader.size() + CborWriter.headBytes(payload.size());
    return new CborWriter(bytes + payload.size())
        .array(4)
        .text("Signature1")
        .bytes(protectedHeader)
        .bytes(Bytes.EMPTY)
        .bytes(payload)
        .finish()
        .unsafeArray();
  }

  private static void atMost(String name, @Nullable Bytes value, int max) {
    if (value != null && value.size() > max) {
      throw new IllegalArgumentException(name + " of " + value.size() + " bytes, at most " + max);
    }
  }
}
